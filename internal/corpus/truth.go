package corpus

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Truth is what is in a corpus, counted by the rules of docs/counting.md while
// it was written: nothing of it comes from reading.
type Truth struct {
	Files  int   // transcripts, those of sub-agents and empty ones too
	Lines  int   // of the transcripts
	Bytes  int64 // of the transcripts
	totals map[series]int64
}

// alwaysListed are the metrics without labels that are listed even when they are 0, so
// that a comparison knows that they were counted.
var alwaysListed = []string{"sessions", "reported_sessions"}

// A series is named as the reference names it; see internal/reference.
type series struct{ metric, labels string }

// escape keeps a name within its line and column.
var escape = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// WriteTSV writes the totals in the format of the expected.tsv files, which is
// that of the reference: metric, labels and value, sorted, one a line.
func (t Truth) WriteTSV(w io.Writer) error {
	all := make([]series, 0, len(t.totals))
	for s, n := range t.totals {
		if n != 0 || s.metric == "tokens" || slices.Contains(alwaysListed, s.metric) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.metric, b.metric), cmp.Compare(a.labels, b.labels))
	})
	out := bufio.NewWriter(w)
	for _, s := range all {
		if _, err := fmt.Fprintf(out, "%s\t%s\t%d\n", s.metric, escape.Replace(s.labels), t.totals[s]); err != nil {
			return fmt.Errorf("write the truth: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the truth: %w", err)
	}
	return nil
}
