package transcript

import "testing"

func TestFork(t *testing.T) {
	for _, tt := range []struct {
		fields      string
		request     string
		copied      bool
		ownerIsSelf bool
	}{
		{`"sessionId":"s1","requestSessionId":"s0"`, "s0", true, false},
		{`"sessionId":"s1","requestSessionId":"s\u0030"`, "s0", true, false},
		{`"requestSessionId":"s1","sessionId":"s\u0031"`, "", false, true},
		{`"sessionId":"s1","forkedFrom":{"sessionId":"s0","messageUuid":"u"}`, "", true, true},
		{`"sessionId":"s1","forkedFrom":{"sessionId":"s1"}`, "", false, true},
		{`"sessionId":"s1","forkedFrom":{"messageUuid":"u"}`, "", false, true},
		{`"sessionId":"s1","forkedFrom":"s0","requestSessionId":1`, "", false, true},
		{`"sessionId":"s1"`, "", false, true},
		{`"requestSessionId":"s0","forkedFrom":{"sessionId":"s0"}`, "", false, true},
	} {
		e := parseOne(t, `{"type":"assistant",`+tt.fields+`}`)
		want := Key{}
		if tt.request != "" {
			want = KeyOf("session", tt.request)
		}
		equal(t, "session of the request of "+tt.fields, e.RequestSession, want)
		equal(t, "whether a copy is "+tt.fields, e.Copied, tt.copied)
		if tt.ownerIsSelf {
			want = e.Session
		}
		equal(t, "owner of "+tt.fields, e.Owner(), want)
	}
}
