package web

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/test/usagetest"
)

// now is the time of all tests: a Thursday afternoon.
var now = time.Date(2026, 11, 12, 15, 45, 0, 0, time.UTC)

// ordinary is the scene of most tests.
var ordinary = sync.OnceValue(func() usagetest.Scene { return usagetest.NewScene("ordinary", now) })

// heavy is the scene of much usage. Its making takes a second.
var heavy = sync.OnceValue(func() usagetest.Scene { return usagetest.NewScene("heavy", now) })

func newTestPage(s usagetest.Scene, changes ...func(*Options)) *Page {
	o := Options{
		Source:   s.Source(),
		Status:   func() status.Status { return s.Status },
		Progress: func() status.Progress { return s.Progress },
	}
	for _, change := range changes {
		change(&o)
	}
	return New(o)
}

// get returns the page at a URL.
func get(t *testing.T, p *Page, url string) (code int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+url, http.NoBody))
	return w.Code, w.Body.String()
}
