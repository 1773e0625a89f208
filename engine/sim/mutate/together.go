package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// What few seeds do not find takes all seeds, for each mutation the same ones. These mutations
// are therefore played together: a seed that passes with all of them on is not played again.
// What fails is played with each of them alone, and counts for those with which it fails then.
// One mutation may hide another: what is not found so is played by itself at last (rest).

// chunk is how many seeds are played at once.
const chunk = 50

// oneSeed is what one seed may take of the processor.
const oneSeed = 20 * time.Second

// together plays all seeds with the mutations that are not found yet.
func (w *workshop) together(works []*work) error {
	if len(works) == 0 {
		return nil
	}
	for _, s := range w.suites.random {
		for from := uint64(1); ; {
			left := unfound(works)
			if len(left) == 0 {
				return nil
			}
			if s.pkg == "engine/live" {
				left = slices.DeleteFunc(left, func(w *work) bool { return !s.playsIt(w.m) })
			}
			if len(left) == 0 {
				break
			}
			part, next := s, uint64(0)
			if s.seeds > 0 {
				part, next = s.part(from, min(chunk, s.seeds-from+1)), from+chunk
			}
			said, _, err := w.output(part, mutationsOf(left)...)
			if err != nil {
				return err
			}
			if said != "" {
				seeds, all := failing(said)
				switch {
				case s.seeds == 0: // no seeds of its own
					err = w.alone(part, left)
				case len(seeds) == 0: // it crashed, or took too long
					err = w.apart(s, from, part.seeds, left)
				default:
					for _, seed := range seeds {
						one := s.part(seed, 1)
						one.limit = oneSeed
						if err = w.alone(one, unfound(left)); err != nil {
							break
						}
					}
					if !all { // the suite has ended early
						next = seeds[len(seeds)-1] + 1
					}
				}
				if err != nil {
					return err
				}
			}
			if from = next; s.seeds == 0 || from > s.seeds {
				break
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %d mutations are not found yet\n", s.name, len(unfound(works)))
	}
	return nil
}

// apart plays seeds one by one.
func (w *workshop) apart(s suite, from, seeds uint64, works []*work) error {
	for seed := from; seed < from+seeds; seed++ {
		one := s.part(seed, 1)
		one.limit = oneSeed
		left := unfound(works)
		if failed, _, err := w.run(one, mutationsOf(left)...); err != nil {
			return err
		} else if failed == "" {
			continue
		}
		if err := w.alone(one, left); err != nil {
			return err
		}
	}
	return nil
}

// alone plays a suite with each of the mutations alone.
func (w *workshop) alone(s suite, works []*work) error {
	for _, of := range works {
		start := time.Now()
		failed, _, err := w.run(s, of.m)
		if err != nil {
			return err
		}
		of.v.time(start)
		if of.v.Random = failed; failed != "" {
			fmt.Fprintf(os.Stderr, "%s: %s\n", of.m.id(), failed)
		}
	}
	return nil
}

// failedSeed is how a random play names a seed that breaks a rule.
var failedSeed = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: seed (\d+): `)

// maxFailing is how many failing seeds end a random play.
const maxFailing = 10

// failing are the seeds that fail, and whether these are all.
func failing(said string) (seeds []uint64, all bool) {
	for _, match := range failedSeed.FindAllStringSubmatch(said, -1) {
		if n, err := strconv.ParseUint(match[1], 10, 64); err == nil {
			seeds = append(seeds, n)
		}
	}
	slices.Sort(seeds)
	return slices.Compact(seeds), len(seeds) < maxFailing
}

func unfound(works []*work) []*work {
	return slices.DeleteFunc(slices.Clone(works), func(w *work) bool { return w.v.Random != "" })
}

func mutationsOf(works []*work) (out []*site) {
	for _, w := range works {
		out = append(out, w.m)
	}
	return out
}
