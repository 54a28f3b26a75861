package watcher

import (
	"iter"
	"path/filepath"
)

// A dirTree has a value for each of some directories, by path. However many there are,
// a directory is removed, with everything below it, in time proportional to the number
// of directories removed.
type dirTree[V any] struct {
	nodes map[string]*dirNode[V] // with the directories above them
	size  int                    // number of values
}

type dirNode[V any] struct {
	value    V
	hasValue bool
	below    map[string]struct{} // paths of the nodes directly below it
}

func newDirTree[V any]() *dirTree[V] { return &dirTree[V]{nodes: make(map[string]*dirNode[V])} }

// get returns the value of a directory, or nil. It may be changed.
func (t *dirTree[V]) get(dir string) *V {
	if n := t.nodes[dir]; n != nil && n.hasValue {
		return &n.value
	}
	return nil
}

// put sets the value of a directory.
func (t *dirTree[V]) put(dir string, v V) {
	n := t.node(dir)
	if !n.hasValue {
		t.size++
	}
	n.value, n.hasValue = v, true
}

// node returns the node of a directory. It adds the missing nodes above it.
func (t *dirTree[V]) node(dir string) *dirNode[V] {
	if n := t.nodes[dir]; n != nil {
		return n
	}
	n := new(dirNode[V])
	t.nodes[dir] = n
	if parent := filepath.Dir(dir); parent != dir {
		above := t.node(parent)
		if above.below == nil {
			above.below = make(map[string]struct{})
		}
		above.below[dir] = struct{}{}
	}
	return n
}

// below returns the directories with a value directly below a directory. The loop body
// may remove them.
func (t *dirTree[V]) below(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		n := t.nodes[dir]
		if n == nil {
			return
		}
		for child := range n.below {
			if t.get(child) != nil && !yield(child) {
				return
			}
		}
	}
}

// remove removes a directory and everything below it, and returns the removed values.
func (t *dirTree[V]) remove(dir string) map[string]V {
	removed := make(map[string]V)
	t.detach(dir)
	for todo := []string{dir}; len(todo) > 0; {
		dir, todo = todo[len(todo)-1], todo[:len(todo)-1]
		n := t.nodes[dir]
		if n == nil {
			continue
		}
		delete(t.nodes, dir)
		for child := range n.below {
			todo = append(todo, child)
		}
		if n.hasValue {
			t.size--
			removed[dir] = n.value
		}
	}
	return removed
}

// detach removes a directory from the directory above it, and every directory above
// them that then has neither a value nor a directory below it.
func (t *dirTree[V]) detach(dir string) {
	for {
		parent := filepath.Dir(dir)
		above := t.nodes[parent]
		if above == nil || parent == dir {
			return
		}
		delete(above.below, dir)
		if above.hasValue || len(above.below) > 0 {
			return
		}
		delete(t.nodes, parent)
		dir = parent
	}
}
