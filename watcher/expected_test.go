package watcher

import (
	"testing"
)

// A file that is expected to be written becomes hot with the next check of directories,
// wherever it is, and only once.
func TestExpectedFile(t *testing.T) {
	p := polledFiles(t, hotTime, "p/a.log", "p/b.log", "p/b/x/c.log", "q/a.log")
	expect := func(names ...string) {
		p.p.o.Expected = func() []string { return names }
	}
	expect("a.log", "c.log", "missing.log", "..", "p/b.log")
	p.finds(dirCheck)
	write(t, p.dir, "p/a.log")
	write(t, p.dir, "p/b.log")
	write(t, p.dir, "p/b/x/c.log")
	write(t, p.dir, "q/a.log")
	p.finds(hotCheck, "0:p/a.log", "0:p/b/x/c.log", "0:q/a.log")
	expect()
	p.finds(fileCheck, "0:p/b.log")
	p.finds(hotTime)
	if len(p.p.hot) > 0 {
		t.Errorf("got %d hot files %v after the last change, want none", len(p.p.hot), hotTime)
	}
}

// A file that is hot already is not checked more often because it is expected.
func TestExpectedHotFile(t *testing.T) {
	p := polledFiles(t, hotTime/2, "a.log")
	p.p.o.Expected = func() []string { return []string{"a.log"} }
	p.finds(dirCheck)
	if got := p.p.hotEvery; got != dirCheck {
		t.Errorf("got an interval of %v, want %v", got, dirCheck)
	}
}
