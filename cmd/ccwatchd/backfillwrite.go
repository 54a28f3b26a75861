package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/backfill"
)

// maxSize is the largest size in bytes without --force: promtool needs about as much
// memory as the file has bytes.
const maxSize = 1e9

var errTooLarge = errors.New("a later --since or a longer --step makes it smaller, and with --to, except for VictoriaMetrics, --idle=1h; or add --force")

// checkSize returns an error if a history is larger than maxSize, without --force.
func (b *backfillCommand) checkSize(plan *backfill.Plan) error {
	if size := b.size(plan); size > maxSize && !b.force {
		return fmt.Errorf("refusing to write about %s: %w", format.Size(size), errTooLarge)
	}
	return nil
}

// size returns the size of the file, or of all requests to a server.
func (b *backfillCommand) size(plan *backfill.Plan) int64 {
	if b.to != "" {
		return plan.SendSize
	}
	return plan.FileSize
}

// write writes the samples to the target that the flags name.
func (b *backfillCommand) write(ctx context.Context, plan *backfill.Plan, to *push.Endpoint, stdout io.Writer, log *slog.Logger) error {
	start := time.Now()
	var err error
	if b.to != "" {
		err = send(ctx, plan, to, log)
	} else {
		err = writeSamples(ctx, plan, b.output, stdout)
	}
	if err != nil {
		return err
	}
	log.Info("Wrote the history", "samples", plan.Samples, "took", time.Since(start).Round(time.Millisecond))
	if b.output != "" {
		printNextStep(stdout, b.output)
	}
	return nil
}

// writeSamples writes a plan to a file that only the user can read, or to stdout. After
// an error it removes the file if it has created it.
func writeSamples(ctx context.Context, plan *backfill.Plan, name string, stdout io.Writer) error {
	if name == "" {
		return plan.Write(ctx, stdout)
	}
	f, created, err := openPrivate(name)
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	if err = errors.Join(plan.Write(ctx, f), f.Close()); err != nil && created {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// openPrivate opens an empty file that only the user can read, and reports whether it
// was created. Devices and pipes keep their permissions.
func openPrivate(name string) (f *os.File, created bool, err error) {
	const private = 0o600
	f, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, private)
	if !errors.Is(err, fs.ErrExist) {
		return f, err == nil, err
	}
	if f, err = os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, private); err != nil {
		return nil, false, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = f.Chmod(private)
	}
	if err != nil {
		return nil, false, errors.Join(err, f.Close())
	}
	return f, false, nil
}

var errRefused = errors.New("the server does not accept these samples; it may have to be configured to accept old samples, see docs/history.md")

func send(ctx context.Context, plan *backfill.Plan, to *push.Endpoint, log *slog.Logger) error {
	sender, err := push.NewSender(*to, log)
	if err != nil {
		return err
	}
	defer sender.Close()
	if err = plan.Send(ctx, sender); push.Refused(err) {
		return fmt.Errorf("%w: %w", err, errRefused)
	}
	return err
}
