package main

import (
	"math/rand/v2"
	"slices"
)

// deck deals sites by a seed, as many of each kind as of the others while there are some.
type deck struct {
	piles [][]*site // by kind, shuffled
	turn  int
}

func newDeck(all []*site, seed uint64) *deck {
	d := &deck{}
	r := rand.New(rand.NewPCG(seed, 0x3017a7e))
	for _, k := range kinds {
		var pile []*site
		for _, m := range all {
			if m.Kind == k && m.excluded == "" {
				pile = append(pile, m)
			}
		}
		r.Shuffle(len(pile), func(i, j int) { pile[i], pile[j] = pile[j], pile[i] })
		d.piles = append(d.piles, pile)
	}
	return d
}

// draw deals the next site, nil when there is none left.
func (d *deck) draw() *site {
	for range d.piles {
		pile := &d.piles[d.turn%len(d.piles)]
		d.turn++
		if len(*pile) > 0 {
			m := (*pile)[0]
			*pile = slices.Delete(*pile, 0, 1)
			return m
		}
	}
	return nil
}

// drawn deals n sites whose mutations compile, and says how many others it has dealt.
func drawn(l *loader, d *deck, n int) (out []*site, others int) {
	for len(out) < n {
		m := d.draw()
		if m == nil {
			return out, others
		}
		if l.compiles(m.of, m.in, m) {
			out = append(out, m)
		} else {
			others++
		}
	}
	return out, others
}
