package servicecmd

import (
	"context"
	"errors"
	"strconv"
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
	attempts := s.attempts(ctx)
	switch {
	case errors.Is(err, errNotInstalled):
		s.printf("The %s is not installed.", s.paths.name)
		return codeNotInstalled, nil
	case err != nil:
		return codeUnknown, err
	case attempts.waiting:
		s.printf("The %s fails, and is started again and again: %s.", s.paths.name, attempts.text())
		s.printField("unit", info.unit)
		s.printField("log", s.paths.log)
		return codeStopped, nil
	case !info.running:
		s.printf("The %s does not run.", s.paths.name)
		if _, err := m.Status(); err != nil {
			s.printField("error", err.Error())
		}
		s.printField("last end", attempts.ended)
		s.printField("unit", info.unit)
		s.printField("log", s.paths.log)
		return codeStopped, nil
	}
	s.printf("The %s runs.", s.paths.name)
	client := s.client(info)
	status, err := client.Status(ctx)
	code := 0
	if err != nil {
		code = codeUnknown
		s.PrintAddresses(s.out, client.URL())
		s.printField("error", err.Error())
	} else {
		s.PrintStatus(s.out, client.URL(), &status)
	}
	if attempts.restarts > 0 {
		s.printField("restarts", strconv.Itoa(attempts.restarts))
	}
	s.printField("unit", info.unit)
	s.printField("log", s.paths.log)
	return code, nil
}
