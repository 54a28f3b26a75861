package push

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/config"
)

// An Endpoint is the configuration of a server to send to.
type Endpoint struct {
	Name     string // unique, for metrics and logs
	URL      string
	Protocol remote.WriteMessageType
	Interval time.Duration     // between pushes
	Timeout  time.Duration     // of a request
	Labels   map[string]string // of every series, unless it has a label of the same name
	Headers  map[string]string
	HTTP     config.HTTPClientConfig // authentication, TLS and proxy

	UserAgent string
}

// Options configure a Pusher. All are required unless their comment says otherwise.
type Options struct {
	// Source gathers the metrics to send, and no metrics while sending is not allowed.
	// If it returns an error, the metrics are incomplete. Several goroutines use it.
	Source  prometheus.TransactionalGatherer
	Metrics Metrics
	Logger  *slog.Logger
	Now     func() time.Time
	// History returns the past of the series that have grown in intervals that end
	// later than since: from since to now, in milliseconds since the epoch. ok is false
	// while sending is not allowed. Values gathered later are not less. Several
	// goroutines use it. Nil if growth is not recorded.
	History func(since, now int64) (grown []*Past, ok bool)
	// Storage keeps the times when endpoints last accepted samples. It may be nil.
	Storage Storage
}

// A Pusher sends metrics to endpoints.
type Pusher struct {
	Options
	times *times // set by Run

	mu      sync.Mutex
	targets map[string]*target // configured, by name; guarded by mu
	changed chan struct{}      // receives a value after targets changed
}

// A target is a configured endpoint.
type target struct {
	Endpoint
	client *client
}

// New returns a Pusher without an endpoint.
func New(o Options) *Pusher {
	return &Pusher{Options: o, changed: make(chan struct{}, 1)}
}

// Check returns the error that Configure would return.
func Check(endpoints []Endpoint) error {
	_, err := newTargets(endpoints, nil)
	return err
}

// Configure replaces the endpoints; an error changes nothing. Unchanged endpoints are
// not interrupted. All series of a removed or changed endpoint are ended.
func (p *Pusher) Configure(endpoints []Endpoint) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	targets, err := newTargets(endpoints, p.targets)
	if err != nil {
		return err
	}
	p.targets = targets
	select {
	case p.changed <- struct{}{}:
	default: // a notification is pending already
	}
	return nil
}

// newTargets returns targets for endpoints. It reuses the targets of unchanged
// endpoints.
func newTargets(endpoints []Endpoint, before map[string]*target) (map[string]*target, error) {
	targets := make(map[string]*target)
	for _, e := range endpoints {
		if same := before[e.Name]; same != nil && reflect.DeepEqual(same.Endpoint, e) {
			targets[e.Name] = same
			continue
		}
		c, err := newClient(&e)
		if err != nil {
			return nil, fmt.Errorf("remote_write %s: %w", e.Name, err)
		}
		targets[e.Name] = &target{e, c}
	}
	return targets, nil
}

// A worker is a running endpoint.
type worker struct {
	*endpoint
	target *target
	stop   context.CancelFunc
	done   chan struct{}
}

// Run sends until ctx ends. Then it sends the last values and ends all series, for up
// to five seconds.
func (p *Pusher) Run(ctx context.Context) {
	p.times = loadTimes(p.Storage, p.Logger)
	workers := make(map[string]*worker)
	for {
		p.update(workers)
		select {
		case <-p.changed:
		case <-ctx.Done():
			last := make(map[string]int64)
			for _, w := range stop(workers, func(*worker) bool { return true }) {
				last[w.Name] = w.sentUntil()
			}
			p.times.stopped(last)
			return
		}
	}
}

// update stops the workers of removed and changed endpoints, and starts new workers. A
// changed endpoint keeps its times and its metrics.
func (p *Pusher) update(workers map[string]*worker) {
	p.mu.Lock()
	targets := p.targets
	p.mu.Unlock()
	before := make(map[string]*worker)
	for _, w := range stop(workers, func(w *worker) bool { return targets[w.Name] != w.target }) {
		before[w.Name] = w
		if targets[w.Name] == nil {
			p.Metrics.unregister(w.Name)
		}
	}
	for name, t := range targets {
		if workers[name] == nil {
			workers[name] = p.start(t, before[name])
		}
	}
}

// stop stops the selected workers concurrently and waits for them.
func stop(workers map[string]*worker, selected func(*worker) bool) (stopped []*worker) {
	for name, w := range workers {
		if selected(w) {
			w.stop()
			stopped = append(stopped, w)
			delete(workers, name)
		}
	}
	for _, w := range stopped {
		<-w.done
	}
	return stopped
}

// start starts a worker, which may replace a previous worker.
func (p *Pusher) start(t *target, before *worker) *worker {
	ctx, stop := context.WithCancel(context.Background())
	w := &worker{target: t, stop: stop, done: make(chan struct{}), endpoint: &endpoint{
		Endpoint: t.Endpoint, Options: p.Options, client: t.client, cache: newSeriesCache(t.Labels), times: p.times,
	}}
	if before != nil {
		w.last, w.from = before.last, before.from
	} else {
		w.from = p.times.lastAccepted(t.Name, p.Now().UnixMilli())
	}
	go func() {
		defer close(w.done)
		w.run(ctx)
	}()
	return w
}
