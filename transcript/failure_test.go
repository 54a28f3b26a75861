package transcript

import "testing"

func TestAPIError(t *testing.T) {
	for _, tt := range []struct {
		name, fields, text string
		want               APIError
		unknown            bool
	}{
		{name: "stated", fields: `"error":"rate_limit","apiErrorStatus":429,`, want: APIError{"rate_limit", "429"}},
		{name: "stated, unlike the text", fields: `"error":"unknown",`, text: "prompt is too long", want: APIError{"unknown", ""}},
		{name: "new class", fields: `"error":"brand\n_new",`, want: APIError{"brand_new", ""}, unknown: true},
		{name: "class cleaned to nothing", fields: `"error":"\u0000",`, want: APIError{"unknown", ""}},
		{name: "empty class", fields: `"error":"",`, text: "hit your limit", want: APIError{"rate_limit", ""}},
		{name: "class of the wrong type", fields: `"error":{"status":1},`, text: "Invalid API key", want: APIError{"authentication_failed", ""}},

		{name: "limit", text: "Claude AI usage limit reached|1", want: APIError{"rate_limit", ""}},
		{name: "extra", text: "Out of EXTRA usage", want: APIError{"rate_limit", ""}},
		{name: "429", text: "API Error: 429 too many", want: APIError{"rate_limit", "429"}},
		{name: "login", text: "Please run /login", want: APIError{"authentication_failed", ""}},
		{name: "401", text: "API Error: 401 {}", want: APIError{"authentication_failed", "401"}},
		{name: "authenticate", text: "Failed to authenticate", want: APIError{"authentication_failed", ""}},
		{name: "credit", text: "Credit balance is too low", want: APIError{"billing_error", ""}},
		{name: "too long", text: "Prompt is too long", want: APIError{"invalid_request", ""}},
		{name: "400", text: "API Error: 400", want: APIError{"invalid_request", "400"}},
		{name: "output", text: "exceeded the 32000 output token maximum", want: APIError{"max_output_tokens", ""}},
		{name: "output stated", fields: `"apiError":"max_output_tokens",`, text: "overloaded", want: APIError{"max_output_tokens", ""}},
		{name: "529", text: "API Error: 529 x", want: APIError{"server_error", "529"}},
		{name: "500", text: "API Error: 500", want: APIError{"server_error", "500"}},
		{name: "overloaded", text: "Overloaded", want: APIError{"server_error", ""}},
		{name: "no text", want: APIError{"unknown", ""}},

		{name: "status as a string", fields: `"error":"unknown","apiErrorStatus":"5\u000029",`, want: APIError{"unknown", "529"}},
		{name: "empty status", fields: `"error":"unknown","apiErrorStatus":"",`, text: "API Error: 500", want: APIError{"unknown", ""}},
		{name: "null status", fields: `"error":"unknown","apiErrorStatus":null,`, text: "x API Error: 503.", want: APIError{"unknown", "503"}},
		{name: "status of the wrong type", fields: `"error":"unknown","apiErrorStatus":[1],`, text: "API Error: 503", want: APIError{"unknown", "503"}},
		{name: "four digits", fields: `"error":"unknown",`, text: "API Error: 5030", want: APIError{"unknown", ""}},
		{name: "a word", fields: `"error":"unknown",`, text: "API Error: 503é API Error: 504_ API Error: 505-", want: APIError{"unknown", "505"}},
		{name: "finer class", fields: `"error":"unknown","apiErrorType":"invalid_request_error","apiErrorStatus":400,`, want: APIError{"invalid_request", "400"}},
		{name: "overloaded, stated", fields: `"error":"server_error","apiErrorType":"overloaded_error","apiErrorStatus":529,`, want: APIError{"overloaded", "529"}},
		{name: "no finer class", fields: `"error":"rate_limit","apiErrorType":"overloaded_error",`, want: APIError{"rate_limit", ""}},
		{name: "another type", fields: `"error":"server_error","apiErrorType":"api_error",`, want: APIError{"server_error", ""}},
		{name: "type without a class", fields: `"apiErrorType":"overloaded_error",`, want: APIError{"unknown", ""}},
		{name: "timeout", fields: `"error":"server_error",`, text: "Request timed out. If the API is slow", want: APIError{"server_error", "timeout"}},
		{name: "older timeout", fields: `"error":"unknown",`, text: "API Error: Request timed out.", want: APIError{"unknown", "timeout"}},
		{name: "timeout with a status", fields: `"error":"unknown","apiErrorStatus":408,`, text: "Request timed out.", want: APIError{"unknown", "408"}},
		{name: "timeout in a text", fields: `"error":"unknown",`, text: "x Request timed out", want: APIError{"unknown", ""}},
		{name: "two digits", fields: `"error":"unknown",`, text: "API Error: 50", want: APIError{"unknown", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := parseOne(t, `{"type":"assistant",`+tt.fields+`"isApiErrorMessage":true`+
				`,"message":{"model":"<synthetic>","usage":{},"content":[{"type":"thinking","text":" 401"},{"type":"text","text":"`+tt.text+`"}]}}`)
			if e.APIError == nil {
				t.Fatal("no error, want one")
			}
			equal(t, "error", *e.APIError, tt.want)
			equal(t, "unknown", len(e.Unknown) > 0, tt.unknown)
		})
	}
}

func TestNoAPIError(t *testing.T) {
	for _, line := range []string{
		`{"type":"assistant","error":"rate_limit","message":{"content":[]}}`,
		`{"type":"assistant","isApiErrorMessage":"true","message":{"content":[]}}`,
		`{"type":"assistant","isApiErrorMessage":true,"message":"API Error: 500"}`,
		`{"type":"user","isApiErrorMessage":true,"message":{"content":[]}}`,
	} {
		if got := parseOne(t, line).APIError; got != nil {
			t.Errorf("error of %s = %+v, want none", line, *got)
		}
	}
}

func TestRetry(t *testing.T) {
	for _, tt := range []struct{ fields, want string }{
		{`"error":{"status":529,"cause":{"code":"X"}}`, "529"},
		{`"error":{"status":0}`, "0"},
		{`"error":{"status":529.0,"cause":{"code":"ECONNRESET"}}`, "ECONNRESET"},
		{`"error":{"status":"529"},"cause":{"code":"ConnectionRefused"}`, "ConnectionRefused"},
		{`"error":{},"cause":{"code":"ConnectionRefused"},"retryInMs":602.1275093184647`, "ConnectionRefused"},
		{`"error":{"cause":"failed"},"cause":{"code":"ConnectionRefused"}`, "ConnectionRefused"},
		{`"error":{"cause":{},"connection":{"code":"EPIPE"}},"cause":{"code":"ConnectionRefused"}`, "EPIPE"},
		{`"error":{"cause":{"code":0},"connection":{"code":7}}`, "7"},
		{`"error":{"cause":{"code":["A"]},"connection":{"code":true}}`, "unknown"},
		{`"error":{"cause":{"code":"\u0000"},"connection":{"code":"A\tB"}}`, "AB"},
		{`"error":"failed","cause":"failed"`, "unknown"},
		{`"error":{"message":"Request timed out.","connection":null,"noResponse":null}`, "timeout"},
		{`"error":{"message":"Request timed out.","connection":{"code":"ETIMEDOUT"}}`, "ETIMEDOUT"},
		{`"error":{"message":"Request timed out.","status":408}`, "408"},
		{`"error":{"message":"Connection error."}`, "unknown"},
		{`"error":null`, "unknown"},
	} {
		e := parseOne(t, `{"type":"system","subtype":"api_error",`+tt.fields+`}`)
		equal(t, tt.fields, e.Facts, []Fact{{RetryFact, Key{}, tt.want}})
	}
}
