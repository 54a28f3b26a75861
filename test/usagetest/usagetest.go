// Package usagetest generates the usage of made-up people, for tests of what shows
// usage: months of it in seconds, without transcripts.
package usagetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A Person uses Claude Code. The same fields give the same usage.
type Person struct {
	// Days is the number of days of usage up to Until, the time of the last message.
	Days  int
	Until time.Time
	// Messages is the number of API messages on a working day. At weekends it is a
	// quarter.
	Messages int
	// The first of these names are used most.
	Projects, Models, Tools []string
	// Users are the values of the label of that name, each of a source; none without it.
	Users []string
	// Options of the ledger; nil are those of package ledgertest.
	Options *ledger.Options
}

// Ledger returns a ledger that has counted all usage.
func (p Person) Ledger() *ledger.Ledger {
	o := ledgertest.Options()
	if p.Options != nil {
		o = *p.Options
	}
	w := &writer{
		Person: p, random: rand.New(rand.NewPCG(1, 2)), //nolint:gosec // reproducible
	}
	today := time.Date(p.Until.Year(), p.Until.Month(), p.Until.Day(), 0, 0, 0, 0, p.Until.Location())
	w.ledger = ledger.New(o, today.AddDate(0, 0, 1-p.Days).UnixMilli())
	for day := range p.Days {
		w.day(today.AddDate(0, 0, day+1-p.Days))
	}
	w.ledger.Settle()
	return w.ledger
}

// A writer adds the usage of a person to a ledger.
type writer struct {
	Person

	random *rand.Rand
	ledger *ledger.Ledger
	ids    uint32 // used so far
	sent   int    // messages so far
	batch  ledger.Batch
}

// perSession is the average number of messages of a session.
const perSession = 60

// day adds the sessions of a day, most of them in the morning and the afternoon.
func (w *writer) day(midnight time.Time) {
	messages := w.Messages
	if d := midnight.Weekday(); d == time.Saturday || d == time.Sunday {
		messages /= 4
	}
	messages = int(float64(messages) * (0.6 + 0.8*w.random.Float64()))
	for messages > 0 {
		n := min(messages, 1+w.random.IntN(2*perSession))
		hour := 10 + 1.5*w.random.NormFloat64()
		if w.random.IntN(5) > 1 {
			hour = 15.5 + 2*w.random.NormFloat64()
		}
		at := midnight.Add(time.Duration(min(23, max(0, hour)) * float64(time.Hour)))
		w.session(at, n)
		messages -= n
	}
}

// session adds a session with some messages that begins at a time.
func (w *writer) session(at time.Time, messages int) {
	id := w.id()
	w.batch = ledger.Batch{File: ledger.FileID(id), Now: w.Until.UnixMilli()}
	file := ledger.File{ID: w.batch.File, Kind: transcript.KindOf("s.jsonl"), Name: w.key()}
	if len(w.Users) > 0 {
		file.Source = counters.NewSourceLabels(map[string]string{"user": pick(w.random, w.Users)})
	}
	w.ledger.Open(file)
	name := fmt.Sprintf("%08x-0000-4000-8000-000000000000", id)
	s := session{
		id: name, key: transcript.KeyOf("session", name), at: at,
		project: pick(w.random, w.Projects), model: pick(w.random, w.Models), context: 18_000,
	}
	for n := range messages {
		if n%8 == 0 {
			w.add(&s, transcript.Entry{Type: "user", Prompt: &transcript.Prompt{Kind: "text", TextKey: w.key()}})
		}
		s.at = s.at.Add(time.Duration(5+w.random.IntN(40)) * time.Second)
		w.message(&s)
	}
	w.ledger.AddBatch(&w.batch)
}

// A session is the session that is being written.
type session struct {
	id             string
	key            transcript.Key
	at             time.Time
	project, model string
	context        uint64
}

// message adds a message, usually with a tool call and its result.
func (w *writer) message(s *session) {
	written := w.random.Uint64N(3_000)
	m := &transcript.Message{
		Key: w.key(), Model: s.model, StopReason: "end_turn",
		Usage: transcript.Usage{
			Input: w.random.Uint64N(60), Output: uint64(math.Exp(5 + 1.2*w.random.NormFloat64())), CacheRead: s.context,
		},
	}
	if s.model == w.Models[0] {
		m.Usage.CacheWrite1h = written
	} else {
		m.Usage.CacheWrite5m = written
	}
	w.miss(s, m)
	if s.context += written; s.context > 180_000 {
		s.context = 30_000
	}
	e := transcript.Entry{Type: "assistant", Message: m}
	if w.random.IntN(4) == 0 {
		w.add(s, e)
		return
	}
	m.StopReason = "tool_use"
	call := transcript.ToolUse{Key: w.key(), Name: pick(w.random, w.Tools)}
	e.Uses = []transcript.ToolUse{call}
	w.add(s, e)
	s.at = s.at.Add(time.Duration(math.Exp(6+2*w.random.NormFloat64())) * time.Millisecond)
	result := transcript.ToolResult{Key: call.Key, Bytes: w.random.Uint64N(9_000), Added: 3, Removed: 1}
	if w.sent%12 == 0 {
		result.Permission = transcript.Permission{Decision: "accept", Source: "once"}
	}
	if call.Name == "WebSearch" && w.ids%5 == 0 {
		result.Searches = 1
	}
	if w.random.IntN(25) == 0 {
		result.Error, result.Reason = true, "other"
	}
	w.add(s, transcript.Entry{Type: "user", Results: []transcript.ToolResult{result}})
}

// miss makes two of fifty messages write their context to the cache again, and another
// one use fast mode.
func (w *writer) miss(s *session, m *transcript.Message) {
	w.sent++
	switch u := &m.Usage; w.sent % 50 {
	case 0:
		s.at = s.at.Add(61 * time.Minute)
		u.CacheRead, u.CacheWrite5m = 0, u.CacheWrite5m+s.context
	case 10:
		m.MissReason = "tools_changed"
		u.CacheRead, u.CacheWrite5m = 0, u.CacheWrite5m+s.context
	case 20:
		m.Fast = true
	}
}

// add adds an entry, unless it is in the future.
func (w *writer) add(s *session, e transcript.Entry) {
	if s.at.After(w.Until) {
		return
	}
	e.UUID, e.Time, e.SessionID, e.Session = w.key(), s.at.UnixMilli(), s.id, s.key
	e.Project, e.HasProject = s.project, true
	w.batch.Entries = append(w.batch.Entries, e)
}

func (w *writer) id() uint32 {
	w.ids++
	return w.ids
}

func (w *writer) key() transcript.Key { return transcript.KeyOf(fmt.Sprint(w.id())) }

// pick returns one of some names. Each is picked about half as often again as the next
// but one.
func pick(random *rand.Rand, names []string) string {
	n := int(random.ExpFloat64() * float64(len(names)) / 4)
	return names[min(n, len(names)-1)]
}
