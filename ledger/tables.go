package ledger

import "github.com/ccwatchd/ccwatchd/state/codec"

// CountersField is the field of the counters in a saved state. Owners of other tables
// use numbers up to LastOwnField.
const (
	CountersField codec.Number = 1
	LastOwnField  codec.Number = 9
)

// The numbers of the tables in a saved state. A number never changes and is never
// reused; a new table gets the next one. A table precedes the tables whose rows refer
// to its values.
const (
	tableFileAttrs         codec.Number = 10
	tableMessageLabels     codec.Number = 11
	tablePrices            codec.Number = 12
	tableUnpricedRequests  codec.Number = 13
	tableAttributions      codec.Number = 14
	tableToolLabels        codec.Number = 15
	tableSessionModels     codec.Number = 16
	tableFiles             codec.Number = 17
	tableGroups            codec.Number = 18
	tableHeld              codec.Number = 19
	tableFullRecords       codec.Number = 20
	tableCounted           codec.Number = 21
	tableCharges           codec.Number = 22
	tableUnpriced          codec.Number = 23
	tableTools             codec.Number = 24
	tableOrphans           codec.Number = 25
	tableTurns             codec.Number = 26
	tableTurnKeys          codec.Number = 27
	tableTimings           codec.Number = 28
	tableCauses            codec.Number = 29
	tableSideRequests      codec.Number = 30
	tableRuns              codec.Number = 31
	tableSubagents         codec.Number = 32
	tableSlotCounts        codec.Number = 33
	tableSlotHolders       codec.Number = 34
	tableReported          codec.Number = 35
	tableSessionUsage      codec.Number = 36
	tableSessionIntervals  codec.Number = 37
	tableSessionTotals     codec.Number = 38
	tableVersions          codec.Number = 39
	tableSessions          codec.Number = 40
	tableEndedSessions     codec.Number = 41
	tablePrompts           codec.Number = 42
	tableQueuedPrompts     codec.Number = 43
	tablePromptTexts       codec.Number = 44
	tableCompactions       codec.Number = 45
	tableCompactionTimes   codec.Number = 46
	tableTurnPrompts       codec.Number = 47
	tableTurnTexts         codec.Number = 48
	tableQueueOperations   codec.Number = 49
	tableLimitHits         codec.Number = 50
	tableHooks             codec.Number = 51
	tableHookRuns          codec.Number = 52
	tableHookClaims        codec.Number = 53
	tableAPIErrors         codec.Number = 54
	tableTurnDurations     codec.Number = 55
	tableTurnDurationTimes codec.Number = 56
	tableShortIDs          codec.Number = 57
	tableRetryFacts        codec.Number = 58
	tableCommitFacts       codec.Number = 59
	tablePullRequestFacts  codec.Number = 60
	tableFileFacts         codec.Number = 61
	tableBackgroundFacts   codec.Number = 62
	tableCostBasisFacts    codec.Number = 63
	tableOlderKeys         codec.Number = 64
	tableSessionRemarks    codec.Number = 65
	tableSearchCalls       codec.Number = 66
	tableWaitingSessions   codec.Number = 67
)
