package servicecmd

import (
	"context"
	"fmt"

	"github.com/ccwatchd/ccwatchd/packaging"
)

func (p *paths) setFreeBSDPaths() {
	p.template, p.unit = packaging.FreeBSD, "/usr/local/etc/rc.d/ccwatchd"
	p.state, p.stateIsFixed = "/var/db/ccwatchd", true
	p.extraArgs, p.log = "/etc/rc.conf", "/var/log/daemon.log"
}

// enableInRC makes the service start at boot.
func (s *controller) enableInRC(ctx context.Context) error {
	if err := s.runProgram(ctx, "", "sysrc", "ccwatchd_enable=YES"); err != nil {
		return fmt.Errorf("enable the service: %w", err)
	}
	return nil
}

func (s *controller) disableInRC(ctx context.Context) {
	_ = s.runProgram(ctx, "", "sysrc", "-x", "ccwatchd_enable") // harmless if it remains
}
