package servicecmd

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows/svc/mgr"
)

// recoverFromErrors makes the service manager restart a service also after it has
// stopped with an error. By default it only does that after a crash.
func recoverFromErrors(name string) error {
	m, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("connect to the service manager: %w", err)
	}
	s, err := m.OpenService(name)
	if err != nil {
		return fmt.Errorf("open the service: %w", errors.Join(err, m.Disconnect()))
	}
	if err := errors.Join(s.SetRecoveryActionsOnNonCrashFailures(true), s.Close(), m.Disconnect()); err != nil {
		return fmt.Errorf("set the recovery of the service: %w", err)
	}
	return nil
}
