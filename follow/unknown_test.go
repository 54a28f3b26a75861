package follow

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// The list and the log of names are bounded.
func TestUnknownNamesAreBounded(t *testing.T) {
	var log bytes.Buffer
	names := NewUnknownNames(slog.New(slog.NewTextHandler(&log, nil)))
	for i := range 10 * maxUnknownNames {
		names.add([]transcript.UnknownItem{{Kind: "metadata_type", Name: fmt.Sprint("t", i)}})
	}
	if got := names.List(); len(got) != maxUnknownNames || got[0].Name != "t0" {
		t.Errorf("%d names listed: %v", len(got), got)
	}
	if lines := strings.Count(log.String(), "\n"); lines != maxUnknownNames+1 {
		t.Errorf("%d lines logged:\n%s", lines, &log)
	}
}
