// Picture makes the pictures of the README and the docs: it plays the demo in a
// terminal of its own, presses keys when the screen shows what they are for, and
// writes down what it shows then as SVG. What is pictured is in pictures.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
)

func main() {
	program := flag.String("program", "../bin/drainboard", "the drainboard to picture")
	dir := flag.String("to", "../docs/pictures", "the directory to write to")
	only := flag.String("only", "", "make only pictures whose name holds this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := all(ctx, *program, *dir, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// all makes the pictures whose name holds a word, all at once, since most of the
// time they wait. One that fails does not keep the others from being made.
func all(ctx context.Context, program, dir, only string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	errs := make([]error, len(pictures))
	var wg sync.WaitGroup
	for i, p := range pictures {
		if !strings.Contains(p.name, only) {
			continue
		}
		wg.Go(func() {
			svg, err := p.take(ctx, program)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, p.name+".svg"), svg, 0o644)
			}
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", p.name, err)
				return
			}
			fmt.Printf("%s.svg  %d bytes\n", p.name, len(svg))
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// take plays a picture's steps and returns what the screen shows after the last, of a film after
// each.
func (p picture) take(ctx context.Context, program string) ([]byte, error) {
	t, err := open(program, p)
	if err != nil {
		return nil, err
	}
	defer t.close()
	var frames []grid
	for _, s := range p.steps {
		if err := t.play(ctx, s); err != nil {
			return nil, err
		}
		if p.film {
			frames = append(frames, t.grid())
		}
	}
	if p.film {
		return film(frames, p.ground, p.shows), nil
	}
	return svg(t.grid(), p.ground, p.shows), nil
}
