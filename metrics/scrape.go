package metrics

import (
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
)

// scrapes returns the handler of /metrics. Created timestamps are in the
// protobuf format only: in the text of OpenMetrics they are samples, and
// servers would store a series more for each series.
func scrapes(o *HandlerOptions) http.Handler {
	s := newScraper(o)
	return promhttp.InstrumentMetricHandler(o.Exposition.Registry, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if whenReady(w, o) {
			s.answer(w, r)
		}
	}))
}

// A scraper answers scrapes, as the handler of the client library does. That one
// takes several times as long, most of it for a better compression than is
// worth its time.
type scraper struct {
	*HandlerOptions
	formats []expfmt.Format
	failed  prometheus.Counter
	room    chan struct{} // holds a token for every scrape that is being answered; nil has room for all
	pages   sync.Pool     // of *[]byte
	zips    sync.Pool     // of *gzip.Writer
}

func newScraper(o *HandlerOptions) *scraper {
	failures := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "promhttp_metric_handler_errors_total",
		Help: "Total number of internal errors encountered by the promhttp metric handler.",
	}, []string{"cause"})
	failures.WithLabelValues("encoding")
	o.Exposition.Registry.MustRegister(failures)
	s := &scraper{
		HandlerOptions: o,
		formats:        expfmt.DefaultOpenMetricsAcceptedFormats(),
		failed:         failures.WithLabelValues("gathering"),
	}
	if o.MaxScrapes > 0 {
		s.room = make(chan struct{}, o.MaxScrapes)
	}
	return s
}

// enter reports whether one scrape more may be answered. If so, it has to leave.
func (s *scraper) enter() bool {
	if s.room == nil {
		return true
	}
	select {
	case s.room <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *scraper) leave() {
	if s.room != nil {
		<-s.room
	}
}

// answer writes a page. It is made as a whole first, so that a client that is
// slow to read keeps nobody from anything.
func (s *scraper) answer(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		w.Header().Set("Retry-After", "1")
		say(w, http.StatusServiceUnavailable, fmt.Sprintf("More than %d scrapes at a time, try again later.", s.MaxScrapes))
		return
	}
	defer s.leave()
	page, ok := s.pages.Get().(*[]byte)
	if !ok {
		page = new([]byte)
	}
	defer s.pages.Put(page)
	format := expfmt.NegotiateAccept(r.Header, s.formats...)
	filled, err := s.Exposition.Append((*page)[:0], format)
	if *page = filled; err != nil {
		s.Logger.Error("Failed to answer a scrape in full", "err", err)
		s.failed.Inc()
	}
	w.Header().Set("Content-Type", string(format))
	w.Header().Set("Vary", "Accept, Accept-Encoding")
	s.send(w, r, filled)
}

// send writes a page. If the client is gone, so be it.
func (s *scraper) send(w http.ResponseWriter, r *http.Request, page []byte) {
	if takesGzip(r.Header) {
		w.Header().Set("Content-Encoding", "gzip")
		_ = s.zip(w, page)
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(page)))
		_, _ = w.Write(page) //nolint:gosec // a page shows nothing of the request
	}
}

// zip writes a page with gzip. Of what a scrape shows, the fastest way leaves a
// tenth more than the best one, which takes five times as long.
func (s *scraper) zip(w http.ResponseWriter, page []byte) error {
	z, ok := s.zips.Get().(*gzip.Writer)
	if !ok {
		z, _ = gzip.NewWriterLevel(w, gzip.BestSpeed) // there is such a level
	}
	defer s.zips.Put(z)
	z.Reset(w)
	_, err := z.Write(page)
	return errors.Join(err, z.Close())
}

// takesGzip reports whether a client that sends the headers understands gzip.
func takesGzip(h http.Header) bool {
	for _, line := range h.Values("Accept-Encoding") {
		for one := range strings.SplitSeq(line, ",") {
			name, weight, _ := strings.Cut(one, ";")
			if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
				continue
			}
			_, q, weighed := strings.Cut(weight, "q=")
			v, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			return !weighed || err == nil && v > 0
		}
	}
	return false
}
