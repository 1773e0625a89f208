package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// roots are where a run's decisions begin, the loop that carries them out, and what reads a
// run's record for both.
var roots = []string{
	"engine.Decide", "engine/assess.NewRun", "engine.Start", "engine.TakeOver", "engine/record/check.Run",
	"engine/live.Loop.Run", "engine/live.Loop.Send", "engine/live.Open", "engine/live.FeedQueue.Fill", "engine/live.FeedQueue.Close", "engine/live.MayAct", "engine/live.WithPermit", "engine/live.Guarded",
}

// displays are what is shown of a run: pictures that no decision looks at.
var displays = []string{
	"engine/snapshot.View", "engine/snapshot.MakePlan", "engine/snapshot.PlanPool", "engine/record/diff.Between", "engine.Meanwhile", "engine/snapshot.Movers", "engine/assess.AbortPlan", "engine.previewBatch", "engine/assess/blockers.Of", "engine/record.Action.Command",
	"engine/live.Loop.rehearse", "engine/live.Loop.left",
}

// unplayed are parts that random play has no world for: groups that their own controller
// rolls while a run follows it, and what others do to a group of which there is no run. Some
// more is only reached from elsewhere: the order of the groups of a roll, and records that
// do not fit.
var unplayed = []string{
	"engine/assess.following.", "engine.observeController", "engine.followController", "engine.endFollowing", "engine/assess/movers.sightOf", "engine/assess/blockers.pastBudget", "engine.reportStuck",
	"engine/strategy.Follow.", "engine/strategy.GardenerFollow.", "engine/selfdriven.Seen", "engine/selfdriven/mcm.Controller.Told", "engine/selfdriven/mcm.Controller.Next", "engine/selfdriven/mcm.Controller.Kept", "engine/selfdriven/mcm.Controller.InTurn", "engine/live.Watch.", "engine/assess/movers.Seen", "engine/assess/movers.KeepReplaced", "engine/record.Run.Moves",
}

// reached returns which functions a decision can come through: a reference is a call, and one
// to a method of an interface may be any method of that name. What changes the world is
// called from outside, by those who read the cluster and the cloud, so all of package world
// that is exported is a root as well.
func reached(sources []*source) map[ast.Decl]bool {
	r := reach{byName: map[string]body{}, byMethod: map[string][]string{}}
	for _, s := range sources {
		r.declare(s)
	}
	r.todo = append(r.todo, roots...)
	seen, out := map[string]bool{}, map[ast.Decl]bool{}
	left := slices.Concat(displays, unplayed)
	for _, b := range r.tables {
		r.references(b)
	}
	for len(r.todo) > 0 {
		name := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		cut := slices.ContainsFunc(left, func(c string) bool { return name == c || strings.HasSuffix(c, ".") && strings.HasPrefix(name, c) })
		if b, ok := r.byName[name]; ok && !seen[name] && !cut {
			seen[name], out[b.decl] = true, true
			r.references(b)
		}
	}
	return out
}

// body is a declaration, and the package it is in.
type body struct {
	s    *source
	decl ast.Decl
}

// reach is what is known while functions are followed from one to the next.
type reach struct {
	byName   map[string]body
	byMethod map[string][]string
	tables   []body   // values of packages, which name functions too
	todo     []string // names of functions to follow
}

// declare notes the functions and tables of a package, and its roots.
func (r *reach) declare(s *source) {
	pkg := strings.TrimPrefix(s.path, module+"/")
	for _, f := range s.files {
		for _, d := range f.syntax.Decls {
			if _, ok := d.(*ast.GenDecl); ok {
				r.tables = append(r.tables, body{s, d})
			}
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			name := pkg + "." + funcName(fn)
			r.byName[name] = body{s, fn}
			if fn.Recv != nil {
				r.byMethod[fn.Name.Name] = append(r.byMethod[fn.Name.Name], name)
			}
			if pkg == "engine/world" && fn.Name.IsExported() {
				r.todo = append(r.todo, name)
			}
		}
	}
}

// references adds what a declaration refers to.
func (r *reach) references(b body) {
	ast.Inspect(b.decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		used, ok := b.s.info.Uses[id].(*types.Func)
		if !ok || used.Pkg() == nil || !strings.HasPrefix(used.Pkg().Path(), module+"/engine") {
			return true
		}
		recv := used.Signature().Recv()
		pkg := strings.TrimPrefix(used.Pkg().Path(), module+"/")
		switch {
		case recv == nil:
			r.todo = append(r.todo, pkg+"."+used.Name())
		case types.IsInterface(recv.Type()):
			r.todo = append(r.todo, r.byMethod[used.Name()]...)
		default:
			t := recv.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			if named, ok := t.(*types.Named); ok {
				r.todo = append(r.todo, pkg+"."+named.Obj().Name()+"."+used.Name())
			}
		}
		return true
	})
}
