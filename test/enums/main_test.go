package main

import (
	"strings"
	"testing"
)

// known are declarations in the form of sdk.d.ts, with known values only.
const known = `import type { Other } from 'other';

export declare type EffortLevel = 'low' | 'max';

/**
 * Not 'this' one.
 */
export declare type HookEvent = 'Stop' | 'PreToolUse';

export declare type ModelUsage = {
    inputTokens: number;
    /**
     * Which price table: 'list' or 'another'.
     */
    costBasis?: 'list' | 'managed';


};

export declare type PermissionMode = 'default' | 'plan';

export declare type SDKAssistantMessage = {
    type: 'assistant';
    message: {
        type: 'nested';
    };
};

export declare type SDKAssistantMessageError = 'rate_limit' | 'unknown';

export declare type SDKCompactBoundaryMessage = {
    type: 'system';
    subtype: 'compact_boundary';
    compact_metadata: {
        trigger: 'manual' | 'auto';
    };
};

export declare type SDKMessage = SDKAssistantMessage | SDKCompactBoundaryMessage;

export declare type SDKRateLimitInfo = {
    status: 'allowed';
    rateLimitType?: 'five_hour' | 'seven_day';
};

declare type StdoutMessage = coreTypes.SDKMessage | SDKKeepAliveMessage;

export declare type SDKKeepAliveMessage = {
    type: 'keep_alive';
};

export declare function query(): void;
`

func TestCompare(t *testing.T) {
	for _, test := range []struct{ name, old, new, printed, err string }{
		{"nothing new", "", "", "", ""},
		{"error", "'rate_limit'", "'rate_limit' | 'account_on_mars'", "transcript.ErrorClasses: account_on_mars\n", "values that are not known: 1"},
		{"hook event", "'Stop'", "'StopAll'", "transcript.HookEvents: StopAll\n", "values that are not known: 1"},
		{"window", "'five_hour'", "'two_hour'", "transcript.LimitWindows: two_hour\n", "values that are not known: 1"},
		{"cost basis", "'list' | 'managed'", "'list' | 'barter'", "transcript.CostBases: barter\n", "values that are not known: 1"},
		{"field", "inputTokens", "inputBytes", "fields of modelUsage: inputBytes\n", "values that are not known: 1"},
		{"type", "'keep_alive'", "'let_die'", "transcript.Types: let_die\n", "values that are not known: 1"},
		{"subtype", "'compact_boundary'", "'border'", "transcript.Subtypes: border\n", "values that are not known: 1"},
		{"trigger", "'auto'", "'idle'", "transcript.Triggers: idle\n", "values that are not known: 1"},
		{"two", "'low' | 'max'", "'tiny' | 'huge'", "transcript.Efforts: tiny\ntranscript.Efforts: huge\n", "values that are not known: 2"},
		{"renamed type", "type HookEvent", "type HookMoment", "", "HookEvent : not declared any more"},
		{"renamed member", "rateLimitType", "window", "", "SDKRateLimitInfo rateLimitType: not declared any more"},
		{"renamed union", "type StdoutMessage", "type Line", "", "StdoutMessage: not declared any more"},
		{"unknown part of a union", "| SDKKeepAliveMessage", "| Missing", "", "Missing: not declared any more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			text := strings.ReplaceAll(strings.Replace(known, test.old, test.new, 1), "\n", "\r\n")
			err, message := compare(text, &out), ""
			if err != nil {
				message = err.Error()
			}
			if out.String() != test.printed || message != test.err {
				t.Errorf("got %q and %q, want %q and %q", out.String(), message, test.printed, test.err)
			}
		})
	}
}

func TestRun(t *testing.T) {
	if err := run(nil, nil); err == nil {
		t.Error("without a path: no error")
	}
	if err := run([]string{t.TempDir() + "/missing"}, nil); err == nil {
		t.Error("missing file: no error")
	}
}
