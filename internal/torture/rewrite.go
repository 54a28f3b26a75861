package torture

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/reference"
)

// saveInPlace writes a file completely under another name and renames that to the
// file's, as editors and synchronization do. The other name may be that of a
// transcript, and it may take a while. It returns what ends it.
func (t *tree) saveInPlace() (func() error, error) {
	f := t.usable(anyFile)
	if f == nil {
		return nil, nil
	}
	suffix := pick(t.dice, []string{transcriptSuffix, ".tmp"})
	rename, err := t.save(f, suffix)
	if err != nil {
		return nil, err
	}
	if f.agent && suffix == transcriptSuffix {
		if err := t.mayBeSecond(f); err != nil {
			return nil, err
		}
	}
	f.hidden = true
	return func() error {
		f.hidden = false
		return rename()
	}, nil
}

// transcriptSuffix makes the name of a transcript that of another one.
const transcriptSuffix = ".new.jsonl"

// mayBeSecond notes that a sub-agent's file lies there under another name for a while.
func (t *tree) mayBeSecond(f *file) error {
	b, err := f.now()
	if err != nil {
		return err
	}
	if kind, spoke := subagentKind(f.name, b); spoke {
		t.seconds[kind]++
	}
	return nil
}

// allow takes back from the totals what docs/counting.md says is counted twice: a
// sub-agent whose file was saved under another name of a transcript, if the daemon
// saw it there.
func (t *tree) allow(shown reference.Totals) reference.Totals {
	for kind, most := range t.seconds {
		key := reference.Key{Metric: "subagents", Labels: "kind=" + kind}
		if more := shown[key] - t.truth[key]; more > 0 {
			shown[key] -= min(more, most)
		}
	}
	return shown
}

// comparable leaves out the series for which there is an allowance: their totals are
// compared by allow.
func (t *tree) comparable(n numbers) numbers {
	n = maps.Clone(n)
	for kind := range t.seconds {
		maps.DeleteFunc(n, func(series string, _ float64) bool {
			return strings.HasPrefix(series, "claude_subagents_total{") && strings.Contains(series, fmt.Sprintf("kind=%q", kind))
		})
	}
	return n
}

func (r *run) saveInPlace(context.Context) (bool, error) {
	rename, err := r.tree.saveInPlace()
	switch {
	case rename == nil || err != nil:
		return false, err
	case r.dice.IntN(2) == 0:
		return true, rename()
	}
	r.in(2*r.Rate, func(context.Context) error { return rename() })
	return true, nil
}

var boundary = []byte(`"subtype":"compact_boundary"`)

// shorten drops from a session's file what comes before its last compaction, as
// Claude Code does with CLAUDE_CODE_TRANSCRIPT_LOCAL_GC. The daemon must have read that.
func (t *tree) shorten(seen func() error) (bool, error) {
	f := t.usable(func(f *file) bool { return !f.agent && t.compacted(f) > 0 })
	if f == nil {
		return false, nil
	}
	if err := seen(); err != nil {
		return false, err
	}
	f.from += t.compacted(f)
	return true, t.renew(f)
}

// compacted returns where in a file the line of its last compaction begins; 0 if there
// is none, or nothing before it.
func (t *tree) compacted(f *file) int {
	b, err := f.now()
	if err != nil {
		return 0
	}
	at := bytes.LastIndex(b[:bytes.LastIndexByte(b, '\n')+1], boundary)
	return bytes.LastIndexByte(b[:max(0, at)], '\n') + 1
}

func (r *run) shorten(ctx context.Context) (bool, error) {
	return r.tree.shorten(func() error { return r.seen(ctx) })
}

// bringBack writes everything again that was deleted, or dropped from a file.
func (t *tree) bringBack() error {
	for _, f := range t.gone {
		f.from = 0
	}
	missing := slices.Clone(t.gone)
	for _, f := range t.files {
		if f.from == 0 {
			continue
		}
		f.from = 0
		missing = append(missing, f)
		if err := os.Remove(t.at(f.name)); err != nil {
			return err
		}
	}
	return t.restore(missing)
}
