package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
)

// printError prints an error, and each joined error on its own line. It escapes what
// another process may have sent.
func printError(w io.Writer, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		_, _ = fmt.Fprintf(w, "ccwatchd: %s\n", terminal.Printable(line))
	}
}

// usageError returns the message for invalid arguments. It adds suggestions and flag
// names that errors of kingpin lack.
func (c *command) usageError(args []string, err error) string {
	if word, ok := strings.CutPrefix(err.Error(), "unexpected "); ok {
		return fmt.Sprintf("unexpected argument %q", word)
	}
	if word, ok := strings.CutPrefix(err.Error(), "expected command but got "); ok {
		return err.Error() + suggestion(c.app.Model(), strings.Trim(word, `"`))
	}
	if name, ok := strings.CutPrefix(err.Error(), "unknown long flag '--"); ok {
		return err.Error() + flagSuggestion(strings.TrimSuffix(name, "'"))
	}
	// The error of an invalid number does not name its flag.
	if number, ok := errors.AsType[*strconv.NumError](err); ok {
		return fmt.Sprintf("--%s: %q is not a valid number", c.flagWith(args, number.Num), number.Num)
	}
	return err.Error()
}

// flagWith returns the name of the flag with a value.
func (c *command) flagWith(args []string, value string) string {
	parsed, err := c.app.ParseContext(args)
	if err != nil {
		return ""
	}
	for _, e := range parsed.Elements {
		if flag, ok := e.Clause.(*kingpin.FlagClause); ok && e.Value != nil && *e.Value == value {
			return flag.Model().Name
		}
	}
	return ""
}

// errRuns is the error of a second daemon.
var errRuns = errors.New("it already runs")

// withHint adds the flag that can resolve an error, and where the daemon runs that
// prevents a second one.
func (c *command) withHint(err error) error {
	var (
		locked *checkpoint.LockedError
		path   *fs.PathError
		listen *net.OpError
	)
	if errors.As(err, &locked) {
		if running, ok := checkpoint.ReadAddress(locked.Dir); ok {
			return fmt.Errorf("%w: %s (%w); use another directory with --state.dir to run a second one", errRuns, pageOf(running.URL), err)
		}
	}
	switch {
	case errors.As(err, &locked), errors.As(err, &path) && within(c.stateDir, path.Path):
		return fmt.Errorf("%w; use another directory with --state.dir", err)
	case errors.As(err, &listen) && listen.Op == "listen":
		if url, daemon, ok := statusclient.Occupant(context.Background(), c.target(listen.Addr.String())); ok {
			return fmt.Errorf("%w: %s (%s); use another address with --web.listen-address and another --state.dir to run a second one", errRuns, pageOf(url), daemon.Process())
		}
		return fmt.Errorf("%w; use another address with --web.listen-address", err)
	}
	return err
}

// within reports whether two paths are equal, or one is below the other.
func within(a, b string) bool {
	const slash = string(filepath.Separator)
	a, b = filepath.Clean(a)+slash, filepath.Clean(b)+slash
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// An argumentError is the error of invalid arguments.
type argumentError struct{ error }

// exitCode returns the exit code of a command with an error: 2 if its arguments are
// invalid.
func exitCode(err error) int {
	_, invalid := errors.AsType[argumentError](err)
	_, refused := errors.AsType[*statusclient.RequestError](err)
	switch {
	case err == nil:
		return 0
	case invalid || refused:
		return 2
	}
	return 1
}
