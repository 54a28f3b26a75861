package reference

import "testing"

// Only events without a time, and sessions of forks, may differ in a history.
func TestHistoryOptions(t *testing.T) {
	malformed, sessions := Key{"malformed_lines", "class=torn"}, Key{"sessions", ""}
	users, messages := Key{"entries", "type=user"}, Key{"messages", "model=m"}
	for _, tt := range []struct {
		name      string
		want, got Totals
		equal     bool
	}{
		{"equal", Totals{users: 3, messages: 2}, Totals{users: 3, messages: 2}, true},
		{"malformed lines", Totals{malformed: 2}, Totals{}, true},
		{"a session counts later", Totals{sessions: 2}, Totals{sessions: 1}, true},
		{"a session counts too early", Totals{sessions: 2}, Totals{sessions: 3}, false},
		{"entries of malformed lines", Totals{malformed: 1, users: 5}, Totals{users: 3}, true},
		{"more entries are missing", Totals{malformed: 1, users: 5}, Totals{users: 2}, false},
		{"entries are missing", Totals{users: 5}, Totals{users: 4}, false},
		{"too many entries", Totals{malformed: 1, users: 5}, Totals{users: 6}, false},
		{"messages are missing", Totals{malformed: 1, messages: 2}, Totals{messages: 1}, false},
	} {
		if d := Diff(tt.want, tt.got, Options{History: true}); (len(d) == 0) != tt.equal {
			t.Errorf("%s: got %v", tt.name, d)
		}
	}
	if Diff(Totals{sessions: 2}, Totals{sessions: 1}, Options{}) == nil {
		t.Error("without a history: got no difference")
	}
}
