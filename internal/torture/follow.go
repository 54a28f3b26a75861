package torture

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// scrapeEvery is the pause between two scrapes.
const scrapeEvery = 40 * time.Millisecond

// A scraper scrapes one process.
type scraper struct {
	client   http.Client
	process  *process
	judge    *judge
	address  string
	ready    bool
	believed bool // what it showed when it was ready was looked at
	n        int
}

// follow scrapes a process until it ends, for the judge.
func (r *run) follow(ctx context.Context, p *process) {
	s := &scraper{process: p, judge: r.judge, client: http.Client{Timeout: patience, Transport: &http.Transport{}}}
	defer s.client.CloseIdleConnections()
	select {
	case <-p.ended:
		return
	case <-p.log.listens:
	}
	s.address = p.log.address
	again := time.NewTicker(scrapeEvery)
	defer again.Stop()
	for {
		if err := s.look(ctx); err != nil && !p.dying.Load() && ctx.Err() == nil {
			r.judge.condemn("%w", err)
		}
		select {
		case <-p.ended:
			return
		case <-again.C:
		}
	}
}

// look asks whether the daemon is ready, until it is, and scrapes.
func (s *scraper) look(ctx context.Context) error {
	if !s.ready {
		status, _, err := s.get(ctx, "/-/ready", "")
		if err != nil {
			return err
		}
		s.ready = status == http.StatusOK
	}
	accept := []string{plainText, protobuf}[s.n%2]
	if s.n++; s.n%16 == 0 {
		accept = openMetrics
	}
	status, body, err := s.get(ctx, "/metrics", accept)
	switch {
	case err != nil:
		s.judge.missed()
		return err
	case status == http.StatusServiceUnavailable && !s.ready:
		return nil
	case status != http.StatusOK:
		return fmt.Errorf("a scrape is answered with %d: want 200, since it was ready", status)
	case accept == openMetrics:
		s.judge.missed()
		if !strings.HasSuffix(body, "\n# EOF\n") {
			return fmt.Errorf("an exposition has no end: it has %d bytes", len(body))
		}
		return nil
	}
	return s.pass(body, accept)
}

// pass passes a scrape on. The first of a process that is ready must have everything
// that lay there when it was started.
func (s *scraper) pass(body, accept string) error {
	x, err := decode(strings.NewReader(body), accept)
	if err != nil {
		return err
	}
	if accept == protobuf {
		body = ""
	}
	s.judge.see(x, body)
	if s.believed || !s.ready {
		return nil
	}
	if got := x.probes(); got < s.process.probes {
		return fmt.Errorf("it is ready before everything was read: want %d calls of %s, got %d", s.process.probes, probeTool, got)
	}
	s.believed = true
	close(s.process.ready)
	return nil
}

// get asks the daemon.
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
