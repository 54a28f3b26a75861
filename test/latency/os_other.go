//go:build !linux

package main

import (
	"context"
	"time"
)

// cpu returns the CPU time of the daemon by its own metric, which costs a scrape.
func (d *daemon) cpu(ctx context.Context) (time.Duration, error) {
	seconds, err := d.sample(ctx, "process_cpu_seconds_total")
	return time.Duration(seconds * float64(time.Second)), err
}
