package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
)

// The exit codes of status besides 0, which are those of systemctl.
const (
	codeUnknown      = 1
	codeStopped      = 3
	codeNotInstalled = 4
)

// change starts, stops or restarts the service. If that starts it, its
// configuration is checked first.
func (s *controller) change(ctx context.Context, do func(manager) error, starts bool) error {
	m, f, err := s.installed()
	if err != nil {
		return err
	}
	if starts {
		// A service that runs must not be stopped and then fail to come back.
		if err := s.checkConfig(f.args); err != nil {
			return err
		}
	}
	if err := do(m); err != nil {
		return fmt.Errorf("change the service: %w; see %s", err, s.paths.log)
	}
	if s.find(m).running {
		s.printf("The %s runs.", s.paths.name)
		return s.startAndWait(ctx, func() error { return nil }, s.client(f))
	}
	s.printf("The %s is stopped.", s.paths.name)
	return nil
}

// status prints the status of the service and returns the exit code for it.
func (s *controller) status(ctx context.Context) (int, error) {
	m, f, err := s.installed()
	switch {
	case errors.Is(err, errNotInstalled):
		s.printf("The %s is not installed.", s.paths.name)
		return codeNotInstalled, nil
	case err != nil:
		return codeUnknown, err
	case !f.running:
		s.printf("The %s does not run.", s.paths.name)
		if _, err := m.Status(); err != nil {
			s.printField("trouble", err.Error())
		}
		s.printField("unit", f.unit)
		s.printField("log", s.paths.log)
		return codeStopped, nil
	}
	s.printf("The %s runs.", s.paths.name)
	client := s.client(f)
	status, err := client.Status(ctx)
	s.printField("metrics", client.URL()+"/metrics")
	if err != nil {
		s.printField("trouble", err.Error())
		s.printField("log", s.paths.log)
		return codeUnknown, nil
	}
	s.printStatus(status, f.unit)
	return 0, nil
}

// printStatus prints the status that the daemon reports.
func (s *controller) printStatus(status metrics.Status, unit string) {
	s.printField("version", status.Version)
	s.printField("pid", fmt.Sprint(status.PID))
	if status.Ready {
		s.printField("files", fmt.Sprint(status.Files))
		s.printField("sessions", fmt.Sprint(status.Sessions))
	} else {
		s.printField("files", fmt.Sprintf("catching up: %d of %d, %d %%", status.Files, status.FilesTotal, status.Percent))
	}
	s.printField("backlog", fmt.Sprintf("%d bytes", status.Backlog))
	s.printField("unit", unit)
	s.printField("log", s.paths.log)
	if e := status.LastError; e != nil {
		s.printField("last error", fmt.Sprintf("%s, %s", e.Text, e.Time.Format(time.RFC3339)))
	} else {
		s.printField("last error", "none")
	}
}
