package torture

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// scrapeInterval is the pause between two scrapes.
const scrapeInterval = 100 * time.Millisecond

// A scraper scrapes one process.
type scraper struct {
	client   http.Client
	process  *process
	checker  *checker
	address  string
	ready    bool
	verified bool // its first scrape when ready had everything
	n        int
	began    time.Time // of the last scrape
}

// scrape scrapes a process until it ends.
func (r *run) scrape(ctx context.Context, p *process) {
	s := &scraper{process: p, checker: r.checker, client: http.Client{Timeout: patience, Transport: &http.Transport{}}}
	defer s.client.CloseIdleConnections()
	select {
	case <-p.ended:
		return
	case <-p.log.listens:
	}
	s.address = p.log.address
	again := time.NewTicker(scrapeInterval)
	defer again.Stop()
	for {
		if err := s.scrape(ctx); err != nil && !p.ending.Load() && ctx.Err() == nil {
			r.checker.fail("%w", err)
		}
		select {
		case <-p.ended:
			return
		case <-again.C:
		}
	}
}

// scrape queries readiness until the daemon is ready, and scrapes.
func (s *scraper) scrape(ctx context.Context) error {
	if !s.ready {
		status, _, err := s.get(ctx, "/-/ready", "")
		if err != nil {
			return err
		}
		s.ready = status == http.StatusOK
	}
	accept := []string{exposition.Text, exposition.Protobuf}[s.n%2]
	if s.n++; s.n%16 == 0 {
		accept = exposition.OpenMetrics
	}
	began := time.Now()
	status, body, err := s.get(ctx, "/metrics", accept)
	if time.Since(s.began) >= zeroWindow { // a series may have been 0 only in between
		s.checker.skip()
	}
	s.began = began
	switch {
	case err != nil:
		s.checker.skip()
		return err
	case status == http.StatusServiceUnavailable && !s.ready:
		return nil
	case status != http.StatusOK:
		return fmt.Errorf("scrape of a ready daemon: got status %d, want 200", status)
	case accept == exposition.OpenMetrics:
		s.checker.skip()
		if !strings.HasSuffix(body, "\n# EOF\n") {
			return fmt.Errorf("an exposition of %d bytes has no end", len(body))
		}
		return nil
	}
	return s.check(body, accept)
}

// check has a scrape checked. The first scrape of a ready process must include
// everything that existed when it was started.
func (s *scraper) check(body, accept string) error {
	samples, err := exposition.Parse(strings.NewReader(body), accept)
	if err != nil {
		return err
	}
	if accept == exposition.Protobuf {
		body = ""
	}
	s.checker.check(samples, body)
	if s.verified || !s.ready {
		return nil
	}
	if got := probesIn(samples); got < s.process.probes {
		return fmt.Errorf("the daemon was ready before it had read everything: want %d calls of %s, got %d", s.process.probes, probeTool, got)
	}
	s.verified = true
	close(s.process.ready)
	return nil
}

func (s *scraper) get(ctx context.Context, path, accept string) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Accept", accept)
	a, err := s.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer a.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(a.Body)
	return a.StatusCode, string(b), err
}
