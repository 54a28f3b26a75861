package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// manyRows is a ledger whose usage by five minutes and project has half as many rows as
// a response can have.
func manyRows() *ledger.Ledger {
	l := ledgertest.New(started, nil)
	for project := range 45 {
		s := transcripttest.Session{ID: fmt.Sprint(project), Name: fmt.Sprint("s", project), CWD: fmt.Sprint("/src/project-", project), Start: started.AddDate(0, 0, -2)}
		for i := range 540 {
			s.Start = s.Start.Add(5 * time.Minute)
			s.Reply(transcripttest.Reply{ID: fmt.Sprint("m", project, "-", i), In: 7, Out: 1, Stop: "end_turn"})
		}
		ledgertest.Add(l, ledger.FileID(project+1), nil, s.String(), now)
	}
	return l
}

// A stalledWriter is a client that reads the header of a response and then nothing
// until it is released.
type stalledWriter struct {
	*httptest.ResponseRecorder
	started chan<- struct{}
	once    sync.Once
	release <-chan struct{}
}

func (w *stalledWriter) Write(b []byte) (int, error) {
	w.once.Do(func() { w.started <- struct{}{} })
	<-w.release
	return len(b), nil
}

// Forty clients that stop reading a long response keep little memory.
func TestSlowReaders(t *testing.T) {
	testsize.SkipRace(t, "measures memory")
	clients := testsize.Of(40, 10)
	limit := int64(clients) << 20
	l := manyRows()
	h := handler(l)
	w := get(h, UsagePath+"?step=5m&by=project,model,agent")
	if n := w.Body.Len(); w.Code != http.StatusOK || n < 4<<20 {
		t.Fatalf("status %d, %d bytes: %.300s", w.Code, n, w.Body)
	}
	size := w.Body.Len()
	stalled, release := make(chan struct{}, clients), make(chan struct{})
	before := heap()
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			w := &stalledWriter{ResponseRecorder: httptest.NewRecorder(), started: stalled, release: release}
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, UsagePath+"?step=5m&by=project,model,agent", http.NoBody))
		})
	}
	for range clients {
		<-stalled
	}
	took := heap() - before
	close(release)
	group.Wait()
	t.Logf("%d MB for %d responses of %d MB", took>>20, clients, size>>20)
	if took > limit {
		t.Errorf("got %d MB, want at most %d", took>>20, limit>>20)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// At most four responses are computed at a time, and at most four histories are sent.
// Further requests wait.
func TestAtOnce(t *testing.T) {
	l := activity(nil)
	for path, text := range map[string]string{
		UsagePath: `"input_tokens":18`, HistoryPath: "claude_tokens_total", SessionsPath + "?none=1": `"error":"none: `,
	} {
		synctest.Test(t, func(t *testing.T) {
			var running, most atomic.Int64
			const requests = 12
			proceed, answers := make(chan struct{}), make(chan string, requests)
			h := Handler(Options{Source: usage.Source{
				History: func() (counters.History, bool) {
					most.Store(max(most.Load(), running.Add(1)))
					<-proceed
					running.Add(-1)
					return l.History(), true
				},
				Now: func() time.Time { return now },
			}})
			for range requests {
				go func() { answers <- get(h, path).Body.String() }()
			}
			synctest.Wait()
			if n := running.Load(); n != atOnce {
				t.Errorf("%s: %d at a time, want %d", path, n, atOnce)
			}
			close(proceed)
			for range requests {
				if body := <-answers; !strings.Contains(body, text) {
					t.Errorf("%s: got %.300s", path, body)
				}
			}
			if n := most.Load(); n > atOnce {
				t.Errorf("%s: %d at a time, want at most %d", path, n, atOnce)
			}
		})
	}
}

// A request that is cancelled while it waits does not affect other requests.
func TestWaitCancelled(t *testing.T) {
	l := activity(nil)
	ctx, cancel := context.WithCancel(t.Context())
	first := true
	h := Handler(Options{Source: usage.Source{
		History: func() (counters.History, bool) {
			if first {
				first = false
				cancel()
			}
			return l.History(), true
		},
		Now: func() time.Time { return now },
	}})
	get(h, UsagePath)
	for _, path := range []string{UsagePath, HistoryPath} {
		for range 2 * atOnce {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody))
		}
		if w := get(h, path); w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

// Every response is complete, whatever its size.
func TestResponse(t *testing.T) {
	for _, sizes := range [][]int{{}, {1}, {plainSize}, {plainSize, 1}, {1, plainSize}, {3 * plainSize, 1}, {100, 100, plainSize, plainSize, 7}} {
		var r response
		var want, got bytes.Buffer
		for i, n := range sizes {
			part := bytes.Repeat([]byte{byte('a' + i)}, n)
			want.Write(part)
			if n, err := r.Write(part); n != len(part) || err != nil {
				t.Fatalf("got %d, %v", n, err)
			}
		}
		r.close()
		if r.sendTo(&got); !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%v: got %d bytes, want %d", sizes, got.Len(), want.Len())
		}
	}
}
