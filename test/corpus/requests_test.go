package corpus

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// A testLine is a line as the tests of requests need it.
type testLine struct {
	Type, ID, Hash, Base string
	CWD                  *string
	RequestRef           string
	RequestSessionID     string
	SessionID            string
	Tail                 []string
	ModelUsage           map[string]struct{ CacheReadInputTokens float64 }
	Message              struct {
		ID, Model string
		Usage     *struct{}
	}
	bytes int
}

func testLines(b []byte) (all []testLine) {
	for line := range bytes.Lines(b) {
		l := testLine{bytes: len(line)}
		_ = json.Unmarshal(line, &l) // a few lines are damaged or hold other types
		all = append(all, l)
	}
	return all
}

// printSession returns a session of the last version in print mode, without a gateway.
func printSession(seed uint64) *session {
	s := latestSession(seed)
	s.entrypoint, s.provider, s.hooks, s.reports = "sdk-cli", &s.Providers[0], false, true
	return s
}

// A session of one request has 205 to 290 kB, as measured. What is counted is a small
// part of it. A further request with a Bash call has about 5.7 kB.
func TestProportions(t *testing.T) {
	const sessions, calls = 20, 10
	total, more := 0, 0
	for seed := range uint64(sessions) {
		s := printSession(seed)
		s.userText("Say hello.")
		s.respond(plan{shape: shape{Text: 1}, well: true})
		s.reportCosts()
		lines, counted := testLines(s.b), 0
		for _, l := range lines {
			if l.Type == "user" || l.Type == "assistant" || l.Type == "cost-state" {
				counted += l.bytes
			}
		}
		if len(s.b) < 180_000 || len(s.b) > 330_000 || counted > len(s.b)/10 {
			t.Errorf("seed %d: got %d bytes, of which %d are counted, want about 255,000 and 1 %%", seed, len(s.b), counted)
		}
		total += len(s.b)
		bash := *s.tools("Bash")[0]
		bash.Result, bash.Detail = template{{literal: "one"}}, template{{literal: `"stdout":"one"`}}
		bash.Input = template{{literal: `"command":"echo one"`}}
		before := len(s.b)
		for range calls {
			s.rows([]row{{Kind: "attachment", Type: "total_tokens_reminder", JSON: template{{literal: `"text":"` + strings.Repeat("x", 250) + `"`}}}})
			s.respond(plan{tools: []*tool{&bash}, shape: shape{Calls: 1}, well: true})
		}
		more += (len(s.b) - before) / calls
	}
	if total /= sessions; total < 230_000 || total > 280_000 {
		t.Errorf("a session of one request has %d bytes, want about 255,000", total)
	}
	if more /= sessions; more < 4_000 || more > 7_000 {
		t.Errorf("a further request has %d bytes, want about 5,700", more)
	}
}

// Print mode begins with queue operations, which have no working directory, and ends
// with the costs.
func TestPrintMode(t *testing.T) {
	s := printSession(1)
	for range 3 {
		s.send(&s.Prompts[0])
		s.conclude()
	}
	s.reportCosts()
	lines := testLines(s.b)
	for i := range 2 {
		if l := lines[i]; l.Type != "queue-operation" || l.CWD != nil {
			t.Errorf("line %d is %+v, want a queue operation", i, l)
		}
	}
	if last := lines[len(lines)-1]; last.Type != "cost-state" {
		t.Errorf("the last line is %+v, want the costs", last)
	}
}

// All lines of a response refer to one api-request line, which refers to the one before
// and to a message, and every message is written once.
func TestRequests(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	w := NewWriter(5, 3, shown, 20)
	w.generator.start = shown.UnixMilli()
	requested, referred := make(map[string]bool), 0
	for _, s := range w.generator.showcase(w.projects, 4) {
		if s.version < requestsSince {
			continue
		}
		for _, f := range s.transcripts {
			blobs, references := make(map[string]bool), make(map[string]string)
			for _, l := range testLines(f.b) {
				switch {
				case l.Type == "api-request-blob" && blobs[l.Hash]:
					t.Errorf("%s: a message is written again", f.path)
				case l.Type == "api-request-blob":
					blobs[l.Hash] = true
				case l.Type == "api-request" && l.Base != "" && !requested[l.Base]:
					t.Errorf("%s: request %s follows %q, which is no request", f.path, l.ID, l.Base)
				case l.Type == "api-request":
					requested[l.ID] = true
				case l.Type != "assistant" || l.Message.Model == "<synthetic>":
				case !requested[l.RequestRef]:
					t.Errorf("%s: a response refers to %q, which is no request", f.path, l.RequestRef)
				default:
					referred++
					if id, ok := references[l.RequestRef]; ok && id != l.Message.ID {
						t.Errorf("%s: responses %q and %q refer to one request", f.path, id, l.Message.ID)
					}
					references[l.RequestRef] = l.Message.ID
				}
			}
		}
	}
	if referred == 0 {
		t.Error("no response refers to a request")
	}
}

// A fork by --fork-session names the session of its copies, and its costs begin with
// the totals of that; those of /branch begin at zero.
func TestForkCosts(t *testing.T) {
	for _, branch := range []bool{false, true} {
		s := printSession(2)
		s.turn()
		s.fork(copying{origin: branch, renamed: branch}, false)
		f := s.transcripts[len(s.transcripts)-1]
		copies, costs := 0, 0.0
		for _, l := range testLines(f.b) {
			if l.RequestSessionID == s.sessionID && l.SessionID != s.sessionID && l.RequestRef != "" {
				copies++
			}
			for _, m := range l.ModelUsage {
				costs = max(costs, m.CacheReadInputTokens)
			}
		}
		least := 0.0
		for _, c := range s.spent {
			least = max(least, float64(c.usage[read]))
		}
		if (copies == 0) != branch || !branch && costs < least {
			t.Errorf("branch %t: %d copies name the session, and the costs are %g, at first %g", branch, copies, costs, least)
		}
	}
}
