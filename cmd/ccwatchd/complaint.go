package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/checkpoint"
)

// complain writes an error, which may be several, each on a line of its own.
func complain(w io.Writer, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		_, _ = fmt.Fprintf(w, "ccwatchd: %s\n", line)
	}
}

// misuse says what is wrong with the arguments, in the few places in which
// kingpin says too little.
func misuse(err error) string {
	if word, ok := strings.CutPrefix(err.Error(), "unexpected "); ok {
		return fmt.Sprintf("unexpected argument %q", word)
	}
	// A number that is none says nothing of its flag, and only one has numbers.
	if number, ok := errors.AsType[*strconv.NumError](err); ok {
		return fmt.Sprintf("--web.max-requests: %q is not a number from 0 up", number.Num)
	}
	return err.Error()
}

// advise adds to an error which flag helps, where one does.
func (c *command) advise(err error) error {
	var (
		locked *checkpoint.LockedError
		path   *fs.PathError
		listen *net.OpError
	)
	switch {
	case errors.As(err, &locked), errors.As(err, &path) && within(c.stateDir, path.Path):
		return fmt.Errorf("%w; --state.dir takes another directory", err)
	case errors.As(err, &listen) && listen.Op == "listen":
		return fmt.Errorf("%w; --web.listen-address takes another address", err)
	}
	return err
}

// within reports whether one of two paths lies in the other, or is it.
func within(a, b string) bool {
	const slash = string(filepath.Separator)
	a, b = filepath.Clean(a)+slash, filepath.Clean(b)+slash
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
