package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
)

// A target is the daemon that a command talks to: by --url, else by
// --web.listen-address, else the daemon that uses the state directory, else any daemon
// at the default address, such as a system service.
type target struct{ url string }

// targetFlags are the prefixes of the flags that a target uses, besides its own, and of
// more flags of a command.
func targetFlags(more ...string) []string {
	return append([]string{"state.dir", "web.listen-address"}, more...)
}

func (t *target) addFlag(clause *kingpin.CmdClause) {
	clause.Flag("url", "URL of the daemon. Default: the first --web.listen-address if given, else the daemon that uses the state directory, else http://"+defaultAddress+".").
		PlaceHolder("URL").StringVar(&t.url)
}

// isGiven reports whether the user chose the address of the daemon.
func (t *target) isGiven(c *command) bool { return t.url != "" || c.listenGiven }

func (t *target) client(c *command) *statusclient.Client {
	url := cmp.Or(t.url, statusclient.URL((*c.web.WebListenAddresses)[0]))
	if t.isGiven(c) || c.stateDir == "" {
		return statusclient.New(url)
	}
	own, ok := checkpoint.ReadAddress(c.stateDir)
	if !ok {
		return statusclient.New(url)
	}
	return statusclient.NewFor(own.URL, own.Instance, url)
}

// find returns a client for a daemon that may have the sessions of this user: a daemon
// of another user is an error, unless the user meant it. An unreachable daemon is none:
// requests return that.
func (t *target) find(ctx context.Context, c *command) (*statusclient.Client, error) {
	client := t.client(c)
	if t.isGiven(c) {
		return client, nil
	}
	s, err := client.Status(ctx)
	if err == nil && !t.isMeant(c, client, &s) && s.User != "" && s.User != status.CurrentUser() {
		return client, strangerError{client.URL(), s.User}
	}
	return client, nil
}

// isMeant reports whether the user means the daemon that sent a status: the user chose
// its address, it uses the state directory, or it is a system service.
func (t *target) isMeant(c *command, client *statusclient.Client, s *status.Status) bool {
	return t.isGiven(c) || client.HasInstance() || status.IsService(s.User)
}

// A strangerError is the error of a daemon of another user.
type strangerError struct{ url, user string }

func (e strangerError) Error() string {
	return fmt.Sprintf("the daemon at %s is of the user %s: add --url=%s to use it", e.url, e.user, e.url)
}

var errOtherState = errors.New("the daemon that answers does not use the state directory of this user")

// owner returns a description of whose daemon answers a client. The error is
// errOtherState if neither this state directory nor a system service is behind it,
// unless the user chose the daemon.
func (t *target) owner(ctx context.Context, c *command, client *statusclient.Client) (string, error) {
	s, err := client.Status(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case !t.isMeant(c, client, &s):
		return "", fmt.Errorf("%w: add --url=%s to use the one there, %s, or --state.dir for its directory", errOtherState, client.URL(), describe(&s))
	case client.HasInstance():
		return "your daemon", nil
	}
	return describe(&s), nil
}

// describe returns whose daemon has a status, and what it reads.
func describe(s *status.Status) string {
	text := "a daemon of the user " + s.User
	if s.User == "" {
		text = "a daemon of an unknown user"
	}
	return text + ", which reads " + listDirs(s)
}

// listDirs lists the directories that a daemon reads.
func listDirs(s *status.Status) string {
	var paths []string
	for _, d := range s.Directories {
		paths = append(paths, d.Path)
	}
	return listPaths(paths)
}

// listPaths lists the first paths, for a message.
func listPaths(paths []string) string {
	const most = 3
	var texts []string
	for _, path := range paths[:min(len(paths), most)] {
		texts = append(texts, terminal.Printable(path))
	}
	if more := len(paths) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	if len(texts) == 0 {
		return "no existing directory"
	}
	return strings.Join(texts, ", ")
}
