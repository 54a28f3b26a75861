package server

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
	"golang.org/x/sync/errgroup"

	"github.com/ccwatchd/ccwatchd/internal/loopback"
)

// A Config holds the flags of the listeners.
type Config struct {
	*web.FlagConfig // the flags of exporter-toolkit

	AllowedHosts []string // the names of --web.allowed-host
}

// Validate rejects addresses and host names that are not valid.
func (c *Config) Validate() error {
	for _, address := range *c.WebListenAddresses {
		if strings.HasPrefix(address, "vsock://") {
			continue
		}
		_, port, err := net.SplitHostPort(address)
		if err == nil {
			_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
		}
		if err != nil {
			return fmt.Errorf("--web.listen-address: %w", err)
		}
	}
	for _, name := range c.AllowedHosts {
		if strings.ContainsAny(name, ":/ ") {
			return fmt.Errorf("--web.allowed-host: %q: expected a host name without a scheme or a port", name) //nolint:err113 // printed only
		}
	}
	return nil
}

// CheckFile checks the configuration file of the web server. The file is read again for
// every connection, so it may still become invalid later.
func (c *Config) CheckFile() error {
	if err := web.Validate(*c.WebConfigFile); err != nil {
		return fmt.Errorf("check %s: %w", *c.WebConfigFile, err)
	}
	return nil
}

// listeners returns the flags of one server per address: exporter-toolkit mutates the
// TLS configuration of a server for each listener without locking. The number of
// sockets from systemd is unknown, so they share a server.
func (c *Config) listeners() []*web.FlagConfig {
	if *c.WebSystemdSocket {
		return []*web.FlagConfig{c.FlagConfig}
	}
	var all []*web.FlagConfig
	for _, address := range *c.WebListenAddresses {
		flags := *c.FlagConfig
		flags.WebListenAddresses = &[]string{loopback.Listen(address)}
		all = append(all, &flags)
	}
	return all
}

// A Server serves HTTP on all addresses of its configuration. All fields are required.
type Server struct {
	Config *Config
	Logger *slog.Logger
	// OnListen is called with the address of each listener.
	OnListen func(net.Addr)

	exposed atomic.Bool // it listens on an address that is not a loopback address
}

// IsLocal reports whether the server listens on loopback addresses only.
func (s *Server) IsLocal() bool { return !s.exposed.Load() }

// Run serves until ctx ends or a listener fails. Then it waits a few seconds for
// requests to complete.
func (s *Server) Run(ctx context.Context, handler http.Handler) error {
	group, ctx := errgroup.WithContext(ctx)
	limits := defaultLimits()
	for _, flags := range s.Config.listeners() {
		server := s.server(handler, limits)
		group.Go(func() error { return listenAndServe(server, flags, s.Logger) })
		group.Go(func() error {
			<-ctx.Done()
			return shutDown(server, limits.shutdown)
		})
	}
	return group.Wait()
}

// listenAndServe serves until the server is shut down.
func listenAndServe(server *http.Server, flags *web.FlagConfig, log *slog.Logger) error {
	if err := web.ListenAndServe(server, flags, log); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

// shutDown stops a server. It waits for requests to complete until the timeout.
func shutDown(server *http.Server, timeout time.Duration) error {
	grace, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return server.Close()
	}
	return nil
}

// serverLimits are the timeouts of the HTTP server.
type serverLimits struct {
	header   time.Duration // to read the header of a request
	exchange time.Duration // to read a whole request, and to write its response
	progress time.Duration // to write a part of a response
	idle     time.Duration // between two requests
	shutdown time.Duration // for requests to complete at shutdown
}

func defaultLimits() serverLimits {
	return serverLimits{header: 10 * time.Second, exchange: time.Minute, progress: 5 * time.Second, idle: 2 * time.Minute, shutdown: 5 * time.Second}
}

// maxHeader is the limit for the header of a request. No request needs cookies.
const maxHeader = 64 << 10

// server returns the HTTP server. It disconnects slow clients, and checks the Host
// header of requests: see hostCheck. Its own messages are logged without their text.
func (s *Server) server(next http.Handler, l serverLimits) *http.Server {
	return &http.Server{
		Handler:           l.withProgress(s.Config.hostCheck().middleware(next)),
		ErrorLog:          stdlog.New(StandardLog{s.Logger, "web server"}, "", 0),
		ReadHeaderTimeout: l.header,
		ReadTimeout:       l.exchange,
		WriteTimeout:      l.exchange,
		IdleTimeout:       l.idle,
		MaxHeaderBytes:    maxHeader,
		BaseContext: func(listener net.Listener) context.Context {
			address := listener.Addr()
			s.OnListen(address)
			if !isLoopback(address) {
				s.exposed.Store(true)
				if *s.Config.WebConfigFile == "" && address.Network() != "unix" {
					s.Logger.Warn("Listening on a non-loopback address without TLS or authentication", "address", address.String())
				}
			}
			if s.Config.checksHosts(address) {
				return withHostCheck(context.Background())
			}
			return context.Background()
		},
	}
}
