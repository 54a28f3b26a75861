package torture

import (
	"bytes"
	"context"
	"os"
	"slices"

	"github.com/ccwatchd/ccwatchd/test/reference"
)

// saveInPlace writes a file completely under another name, which may look like a
// transcript. The returned function renames it to the file, as editors and
// synchronization tools do.
func (t *tree) saveInPlace() (func() error, error) {
	f := t.pickUsable(anyFile)
	if f == nil {
		return nil, nil
	}
	suffix := pick(t.rng, []string{secondSuffix, ".tmp"})
	rename, err := t.save(f, suffix)
	if err != nil {
		return nil, err
	}
	if f.agent && suffix == secondSuffix {
		if err := t.allowSecond(f); err != nil {
			return nil, err
		}
	}
	f.hidden = true
	return func() error {
		f.hidden = false
		return rename()
	}, nil
}

// secondSuffix turns the name of a transcript into another name of a transcript.
const secondSuffix = ".new.jsonl"

// allowSecond notes that a sub-agent's file exists under a second name for a while.
func (t *tree) allowSecond(f *file) error {
	b, err := f.current()
	if err != nil {
		return err
	}
	if kind, hasDialogue := subagentKind(f.name, b); hasDialogue {
		t.allowance[kind]++
	}
	return nil
}

// applyAllowance subtracts from the totals the counts that docs/design/counting.md
// allows to be twice: a sub-agent whose file the daemon saw under a second name while
// it was saved.
func (t *tree) applyAllowance(shown reference.Totals) reference.Totals {
	for kind, most := range t.allowance {
		key := reference.Key{Metric: "subagents", Labels: "kind=" + kind}
		if more := shown[key] - t.expected[key]; more > 0 {
			shown[key] -= min(more, most)
		}
	}
	return shown
}

func (r *run) saveInPlace(context.Context) (bool, error) {
	rename, err := r.tree.saveInPlace()
	switch {
	case rename == nil || err != nil:
		return false, err
	case r.rng.IntN(2) == 0:
		return true, rename()
	}
	r.schedule(2*r.Rate, func(context.Context) error { return rename() })
	return true, nil
}

var boundary = []byte(`"subtype":"compact_boundary"`)

// shorten drops from a session's file the lines before its last compaction, as Claude
// Code does with CLAUDE_CODE_TRANSCRIPT_LOCAL_GC. ensureRead must ensure that the
// daemon has read them.
func (t *tree) shorten(ensureRead func() error) (bool, error) {
	f := t.pickUsable(func(f *file) bool { return !f.agent && t.compacted(f) > 0 })
	if f == nil {
		return false, nil
	}
	if err := ensureRead(); err != nil {
		return false, err
	}
	f.dropped += t.compacted(f)
	return true, t.replace(f)
}

// constantID is part of a message whose id several messages of the file have. The lines
// before a message distinguish it, so it counts again if they change or are missing.
var constantID = []byte(`"id":"msg_proxy"`)

// compacted returns the offset of the line of the last compaction in a file, 0 if there
// is none, or if lines may not be dropped.
func (t *tree) compacted(f *file) int {
	b, err := f.current()
	if err != nil || bytes.Contains(b, constantID) {
		return 0
	}
	at := bytes.LastIndex(b[:bytes.LastIndexByte(b, '\n')+1], boundary)
	return bytes.LastIndexByte(b[:max(0, at)], '\n') + 1
}

func (r *run) shorten(ctx context.Context) (bool, error) {
	return r.tree.shorten(func() error { return r.restart(ctx) })
}

// restoreAll writes all deleted files and dropped lines again.
func (t *tree) restoreAll() error {
	for _, f := range t.deleted {
		f.dropped = 0
	}
	missing := slices.Clone(t.deleted)
	for _, f := range t.files {
		if f.dropped == 0 {
			continue
		}
		f.dropped = 0
		missing = append(missing, f)
		if err := os.Remove(t.abs(f.name)); err != nil {
			return err
		}
	}
	return t.restore(missing)
}
