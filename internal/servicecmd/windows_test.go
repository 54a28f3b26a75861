package servicecmd

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/kardianos/service"
	"github.com/prometheus/common/promslog"
)

// A fakeEventLog records events.
type fakeEventLog struct {
	service.Logger
	all []string
}

func (e *fakeEventLog) add(kind string, v []any) error {
	e.all = append(e.all, kind+": "+fmt.Sprint(v...))
	return nil
}

func (e *fakeEventLog) Error(v ...any) error   { return e.add("error", v) }
func (e *fakeEventLog) Warning(v ...any) error { return e.add("warning", v) }
func (e *fakeEventLog) Info(v ...any) error    { return e.add("info", v) }

func TestEventLog(t *testing.T) {
	var events fakeEventLog
	log := slog.New(newEventHandler(&events, &promslog.Config{}))
	log.Debug("Not logged")
	log.Info("Started", "files", 2)
	log.With("root", "/a").Warn("Odd")
	log.WithGroup("g").Error("Failed", "n", 1)
	for i, want := range []string{
		`^info: time=\S+ level=INFO source=\S+ msg=Started files=2$`,
		`^warning: time=\S+ level=WARN source=\S+ msg=Odd root=/a$`,
		`^error: time=\S+ level=ERROR source=\S+ msg=Failed g.n=1$`,
	} {
		if i >= len(events.all) || !regexp.MustCompile(want).MatchString(events.all[i]) {
			t.Fatalf("got events\n%s\nwant\n%s", strings.Join(events.all, "\n"), want)
		}
	}
	if len(events.all) != 3 {
		t.Errorf("got %d events, want 3", len(events.all))
	}
}
