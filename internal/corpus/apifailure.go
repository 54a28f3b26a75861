package corpus

// An apiFailure is how a request may fail in the end, which is told by an
// assistant entry of a model that does not exist.
type apiFailure struct {
	weight        int
	since, before version
	text          string
	stated        string // the class that the entry states
	code          int    // the status that it states
	class, status string // as which it counts
}

var apiFailures = []apiFailure{
	{weight: 8, before: v(2, 1, 3), text: "Claude AI usage limit reached|1751410800", class: "rate_limit"},
	{weight: 5, before: v(2, 1, 3), text: "Invalid API key · Please run /login", class: "authentication_failed"},
	{weight: 3, before: v(2, 1, 3), text: "Credit balance is too low", class: "billing_error"},
	{weight: 3, before: v(2, 1, 3), text: "Prompt is too long", class: "invalid_request"},
	{weight: 2, before: v(2, 1, 3), text: "API Error: Claude's response exceeded the 32000 output token maximum.", class: "max_output_tokens"},
	{weight: 4, before: v(2, 1, 3), text: `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, class: "server_error", status: "529"},
	{weight: 2, before: v(2, 1, 3), text: "API Error: Connection error.", class: "unknown"},
	{weight: 60, since: v(2, 1, 3), text: "Please run /login · API Error: 401 OAuth token has expired.", stated: "authentication_failed", class: "authentication_failed", status: "401"},
	{weight: 15, since: v(2, 1, 3), text: "You've hit your limit · resets 3pm (Europe/Berlin)", stated: "rate_limit", class: "rate_limit"},
	{weight: 12, since: v(2, 1, 3), text: "API Error: Request was aborted.", stated: "unknown", class: "unknown"},
	{weight: 5, since: v(2, 1, 3), text: `API Error: 400 {"type":"error"}`, stated: "invalid_request", class: "invalid_request", status: "400"},
	{weight: 6, since: v(2, 1, 114), text: "API Error: Request rejected (429)", stated: "rate_limit", code: 429, class: "rate_limit", status: "429"},
	{weight: 3, since: v(2, 1, 114), text: "There's an issue with the selected model", stated: "invalid_request", code: 404, class: "invalid_request", status: "404"},
	{weight: 3, since: v(2, 1, 114), text: "API Error: Overloaded", stated: "overloaded", code: 529, class: "overloaded", status: "529"},
	{weight: 2, since: v(2, 1, 114), text: "Your organization is out of credits", stated: "billing_error", code: 402, class: "billing_error", status: "402"},
	{weight: 3, since: v(2, 1, 240), text: "There's an issue with the selected model (claude-opus-9)", stated: "model_not_found", code: 404, class: "model_not_found", status: "404"},
	{weight: 1, since: v(2, 1, 240), text: "OAuth authentication is not allowed for your organization", stated: "oauth_org_not_allowed", code: 403, class: "oauth_org_not_allowed", status: "403"},
	{weight: 2, since: v(2, 1, 114), text: "API Error: Internal server error", stated: "server_error", code: 500, class: "server_error", status: "500"},
}

// apiError writes that a request failed.
func (t *thread) apiError(f *apiFailure) {
	t.synthetic(f.text, func() {
		t.raw(`,"isApiErrorMessage":true`)
		if f.stated != "" {
			t.raw(`,"error":`).quote(f.stated)
		}
		if f.code != 0 {
			t.raw(`,"apiErrorStatus":`).num(f.code)
		}
	})
	t.books.apiError(f.class, f.status)
}

// synthetic writes an assistant entry that Claude Code made up itself.
func (t *thread) synthetic(text string, more func()) {
	t.spoke()
	id := t.uuid()
	t.begin()
	t.raw(`"type":"assistant","message":{"id":"`).bytes(id[:]).raw(`","container":null,"model":"<synthetic>","role":"assistant",`)
	t.raw(`"stop_reason":"stop_sequence","stop_sequence":"","type":"message","usage":{"input_tokens":0,"output_tokens":0,`)
	t.raw(`"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},`)
	t.raw(`"service_tier":null,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0}},`)
	t.raw(`"content":[{"type":"text","text":`).str(text).raw(`}]}`)
	t.open.unique = true
	t.stamp()
	more()
	t.end("assistant", "")
	t.pass(t.between(5, 4000))
}

// A retry is how a request may be sent again.
type retry struct {
	cause  string // keys of the entry
	status string // as which it counts
}

var retries = []retry{
	{`"error":{"status":529,"headers":{},"requestID":null,"error":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}`, "529"},
	{`"error":{"status":429,"headers":{},"requestID":null}`, "429"},
	{`"error":{"status":401,"headers":{}}`, "401"},
	{`"error":{"status":502,"headers":{"cf-ray":"-"}}`, "502"},
	{`"error":{"status":500}`, "500"},
	{`"cause":{"code":"ConnectionRefused","path":"https://api.anthropic.com/v1/messages?beta=true","errno":0},"error":{"cause":{"code":"ConnectionRefused"}}`, "ConnectionRefused"},
	{`"cause":{"code":"ECONNRESET","errno":-104},"error":{}`, "ECONNRESET"},
	{`"error":{"message":"Connection error.","connection":{"code":"FailedToOpenSocket"}}`, "FailedToOpenSocket"},
	{`"cause":{},"error":{"cause":{}}`, "unknown"},
}

// retried writes that the client sends a request again, some times.
func (t *thread) retried(r *retry, times int) {
	for i := range times {
		t.notice("api_error", func() {
			t.raw(`,"level":"error",`).raw(r.cause).raw(`,"retryInMs":`).num(500<<i + t.between(0, 99)).raw(`.1275093184647`)
			t.raw(`,"retryAttempt":`).num(i + 1).raw(`,"maxRetries":10`)
		})
		t.books.retry(r.status)
		t.pass(600 << i)
	}
}
