package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A refusal is a line about a failed request, as encoding/json reads it.
type refusal struct {
	Type, UUID string
	Timestamp  time.Time
	IsError    bool `json:"isApiErrorMessage"`
	Error      any
	Quota      struct {
		Status   any
		Type     any     `json:"rateLimitType"`
		ResetsAt float64 `json:"resetsAt"`
	} `json:"quotaLimits"`
	Message struct {
		Content []struct{ Type, Text string }
	}
}

// namedWindows are the windows by the words of a notice, in order.
var namedWindows = [][2]string{
	{"opus", "seven_day_opus"}, {"sonnet", "seven_day_sonnet"}, {"week", "seven_day"}, {"session", "five_hour"},
	{"5-hour", "five_hour"}, {"spend", "overage"}, {"extra usage", "overage"}, {"usage credits", "overage"}, {"", "unknown"},
}

var aboutLimit = regexp.MustCompile(`^[^·∙]*(hit your|reached your|limit reached|out of extra usage|out of usage credits)`)

// hit returns the window of a line, "" if it is not about a limit, and what identifies
// the hit.
func (r *refusal) hit() (window, key string) {
	var texts []string
	for _, block := range r.Message.Content {
		if block.Type == "text" {
			texts = append(texts, block.Text)
		}
	}
	text := strings.Join(texts, " ")
	notice := strings.FieldsFunc(strings.ToLower(text)+"·", func(c rune) bool { return c == '·' || c == '∙' })
	resets := r.Quota.ResetsAt
	window, named := r.Quota.Type.(string)
	if named && r.Quota.Status == "rejected" {
		if !slices.Contains(transcript.LimitWindows, window) {
			window = "other"
		}
	} else {
		limited := r.Error == "rate_limit" || r.Error == nil
		if !limited || !aboutLimit.MatchString(strings.ToLower(text)) || strings.Contains(notice[0], "rate limit") {
			return "", ""
		}
		resets = 0
		if _, err := fmt.Sscanf(notice[0], "claude ai usage limit reached|%f", &resets); err != nil {
			resets = 0
		}
		for _, named := range slices.Backward(namedWindows) {
			if strings.Contains(notice[0], named[0]) {
				window = named[1]
			}
		}
	}
	ahead := time.Unix(int64(resets), 0).Sub(r.Timestamp)
	switch {
	case ahead > 0 && ahead <= 32*24*time.Hour:
		return window, time.Unix(int64(resets), 0).Round(time.Minute).String()
	case r.Timestamp.IsZero():
		return window, r.UUID
	}
	return window, text + r.Timestamp.UTC().Format(time.DateOnly)
}

// referenceHits returns the number of hits of each window in files of lines.
func referenceHits(files [][]byte) map[string][]uint64 {
	hits, counted := make(map[string][]uint64), make(map[[2]string]bool)
	for _, content := range files {
		for line := range bytes.Lines(content) {
			var r refusal
			if json.Unmarshal(line, &r) != nil || r.Type != "assistant" || !r.IsError {
				continue
			}
			window, key := r.hit()
			if window == "" || counted[[2]string{window, key}] {
				continue
			}
			counted[[2]string{window, key}] = true
			add(hits, "claude_limit_hits_total window="+window, 1, 0)
		}
	}
	return hits
}

// contents returns the contents of the files.
func (r *replayer) contents() (files [][]byte) {
	for _, f := range r.files {
		files = append(files, bytes.Join(f.lines, []byte("\n")))
	}
	return files
}

// countedHits returns the hits that a ledger counted, without zeros.
func countedHits(l *Ledger) map[string][]uint64 {
	hits := make(map[string][]uint64)
	for series, n := range totals(l) {
		if strings.HasPrefix(series, "claude_limit_hits_total ") {
			hits[series] = n
		}
	}
	return hits
}

// The hits of generated files are those of the reference, in any order.
func TestLimitHitReference(t *testing.T) {
	windows := make(map[string]bool)
	for seed := range uint64(40) {
		r := newReplayer(seed, seed)
		want := referenceHits(r.contents())
		l := apply(New(testOptions(), birth), r.readAll(1+int(seed%5), seed%2 == 0, seed%3 == 0))
		if d := difference(countedHits(l), want); d != "" {
			t.Fatalf("seed %d:\n%s", seed, d)
		}
		for series := range want {
			windows[series] = true
		}
	}
	if len(windows) != 3 {
		t.Errorf("got %v, want three windows", windows)
	}
}

// The hits of the fixtures, and of transcripts from outside the repository, in
// CCWATCHD_SESSIONS, are those of the reference.
func TestLimitHitsOfSessions(t *testing.T) {
	for _, dir := range []string{filepath.Join("..", "testdata", "fixtures"), os.Getenv("CCWATCHD_SESSIONS")} {
		if dir == "" {
			continue
		}
		r := newReplayer(0, 0)
		r.files = nil
		var files [][]byte
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !transcript.IsTranscript(d.Name()) {
				return err
			}
			b, err := os.ReadFile(path)
			files = append(files, b)
			lines := bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
			r.files = append(r.files, &transcriptFile{file: testFile(FileID(len(r.files)+1), path), lines: lines})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want, got := referenceHits(files), countedHits(r.readInOrder(100, afterFiles))
		if d := difference(got, want); d != "" {
			t.Errorf("%s:\n%s", dir, d)
		}
		t.Log(dir, got)
	}
}
