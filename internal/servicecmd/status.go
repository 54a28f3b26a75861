package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
)

// Exit codes of status besides 0, as of systemctl.
const (
	codeUnknown      = 1
	codeStopped      = 3
	codeNotInstalled = 4
)

// status prints the status of the service and returns the exit code for it.
func (s *controller) status(ctx context.Context) (int, error) {
	m, info, err := s.installed()
	switch {
	case errors.Is(err, errNotInstalled):
		s.printf("The %s is not installed.", s.paths.name)
		return codeNotInstalled, nil
	case err != nil:
		return codeUnknown, err
	case !info.running:
		s.printf("The %s does not run.", s.paths.name)
		if _, err := m.Status(); err != nil {
			s.printField("error", err.Error())
		}
		s.printField("unit", info.unit)
		s.printField("log", s.paths.log)
		return codeStopped, nil
	}
	s.printf("The %s runs.", s.paths.name)
	client := s.client(info)
	status, err := client.Status(ctx)
	s.printField("metrics", client.URL()+"/metrics")
	if err != nil {
		s.printField("error", err.Error())
		s.printField("log", s.paths.log)
		return codeUnknown, nil
	}
	s.printStatus(status, info.unit)
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
