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

// An Endpoint is a server, and what it gets.
type Endpoint struct {
	Name     string // tells it from others, in metrics and in the log
	URL      string
	Protocol remote.WriteMessageType
	Interval time.Duration     // between two pushes
	Timeout  time.Duration     // of a request
	Labels   map[string]string // that every series gets, unless it has one of that name
	Headers  map[string]string
	HTTP     config.HTTPClientConfig // how to get there, and who sends

	UserAgent string
}

// Options are what a Pusher needs. All are needed.
type Options struct {
	// Source has what is sent, and nothing at all while nothing may be sent. With an
	// error it has everything that is not wrong. Several goroutines use it.
	Source  prometheus.TransactionalGatherer
	Metrics Metrics
	Logger  *slog.Logger
	Now     func() time.Time
}

// A Pusher sends to some endpoints.
type Pusher struct {
	Options

	mu      sync.Mutex
	wanted  map[string]*target // by name; guarded by mu
	changed chan struct{}      // gets a value when they have changed
}

// A target is an endpoint that is to be sent to.
type target struct {
	Endpoint
	client *client
}

// New returns a Pusher without an endpoint.
func New(o Options) *Pusher {
	return &Pusher{Options: o, changed: make(chan struct{}, 1)}
}

// Check says what is wrong with endpoints, as Configure would.
func Check(endpoints []Endpoint) error {
	_, err := targets(endpoints, nil)
	return err
}

// Configure has everything be sent to these endpoints from now on, or, with an
// error, leaves it at those from before. One that has not changed goes on; one
// that is not there any more, or is another now, is told that nothing more comes.
func (p *Pusher) Configure(endpoints []Endpoint) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	wanted, err := targets(endpoints, p.wanted)
	if err != nil {
		return err
	}
	p.wanted = wanted
	select {
	case p.changed <- struct{}{}:
	default: // that they have changed is known already
	}
	return nil
}

// targets makes targets of endpoints, save of those that have not changed.
func targets(endpoints []Endpoint, before map[string]*target) (map[string]*target, error) {
	wanted := make(map[string]*target)
	for _, e := range endpoints {
		if same := before[e.Name]; same != nil && reflect.DeepEqual(same.Endpoint, e) {
			wanted[e.Name] = same
			continue
		}
		c, err := newClient(&e)
		if err != nil {
			return nil, fmt.Errorf("remote_write %s: %w", e.Name, err)
		}
		wanted[e.Name] = &target{e, c}
	}
	return wanted, nil
}

// A running is an endpoint that is being sent to.
type running struct {
	*runner
	target *target
	stop   context.CancelFunc
	done   chan struct{}
}

// Run sends until ctx ends. Then it sends the values of that moment and that no
// more come, but does not try for longer than five seconds.
func (p *Pusher) Run(ctx context.Context) {
	all := make(map[string]*running)
	for {
		p.update(all)
		select {
		case <-p.changed:
		case <-ctx.Done():
			stop(all, func(*running) bool { return true })
			return
		}
	}
}

// update stops the endpoints that are not wanted any more, and starts those that
// are new. One that takes the place of another goes on with its time and counts.
func (p *Pusher) update(all map[string]*running) {
	p.mu.Lock()
	wanted := p.wanted
	p.mu.Unlock()
	last := make(map[string]int64)
	for _, r := range stop(all, func(r *running) bool { return wanted[r.Name] != r.target }) {
		last[r.Name] = r.last
		if wanted[r.Name] == nil {
			p.Metrics.end(r.Name)
		}
	}
	for name, t := range wanted {
		if all[name] == nil {
			all[name] = p.start(t, last[name])
		}
	}
}

// stop stops some of those that are running, all at the same time, and waits for
// them.
func stop(all map[string]*running, which func(*running) bool) (stopped []*running) {
	for name, r := range all {
		if which(r) {
			r.stop()
			stopped = append(stopped, r)
			delete(all, name)
		}
	}
	for _, r := range stopped {
		<-r.done
	}
	return stopped
}

func (p *Pusher) start(t *target, last int64) *running {
	ctx, stop := context.WithCancel(context.Background())
	r := &running{target: t, stop: stop, done: make(chan struct{}), runner: &runner{
		Endpoint: t.Endpoint, client: t.client, source: p.Source, book: newBook(t.Labels),
		metrics: p.Metrics, log: p.Logger, now: p.Now, last: last,
	}}
	go func() {
		defer close(r.done)
		r.run(ctx)
	}()
	return r
}
