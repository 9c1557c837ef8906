package dev.varve.platform.http.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.ReasoningFinishReason;
import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ResponseSummary;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.shard.ExpertCounts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Optional;

class UsageTest {
    private static ChoiceEvent.Ended end(int index, int prompt, int cached, int generated) {
        return end(index, prompt, cached, generated, PrefixLookupResult.missed(MissReason.UNKNOWN));
    }

    private static ChoiceEvent.Ended end(
            int index, int prompt, int cached, int generated, PrefixLookupResult use) {
        return new ChoiceEvent.Ended(
                index,
                new GenerationEnd(
                        GenerationEnd.Reason.END_TOKEN,
                        new GenerationEnd.Tokens(prompt, cached, generated),
                        new GenerationEnd.Times(1.04, 20, 250),
                        use),
                new ResponseParser.Piece("", "", List.of()),
                new ResponseSummary(
                        Optional.empty(),
                        0,
                        2,
                        generated - 2,
                        ReasoningFinishReason.NATURAL,
                        false));
    }

    @Test
    void promptCountsOnceForAllChoices() {
        Usage usage = new Usage();
        usage.add(end(1, 10, 4, 5));
        usage.add(end(0, 10, 4, 6));
        usage.add(end(3, 20, 0, 7));
        usage.add(end(2, 20, 0, 8));

        assertEquals(26, usage.generatedTokens());
        assertEquals(
                "{\"prompt_tokens\":30,\"completion_tokens\":26,\"total_tokens\":56,"
                        + "\"prompt_tokens_details\":{\"cached_tokens\":4},"
                        + "\"completion_tokens_details\":{\"reasoning_tokens\":8}}",
                usage.usage(2).toString());
    }

    @ParameterizedTest
    @MethodSource("uses")
    void cacheResultIsBesideTheTimings(PrefixLookupResult use, String expected) {
        Usage usage = new Usage();
        usage.add(end(0, 10, use.tokens(), 6, use));

        String timings = usage.timings().toString();

        assertTrue(timings.endsWith(expected + "}"), timings);
    }

    static List<Arguments> uses() {
        return List.of(
                Arguments.of(
                        PrefixLookupResult.restored(
                                CacheSource.HOST,
                                4,
                                new PrefixLookupResult.RestoreStats(1L << 33, 12.345)),
                        "\"cache_source\":\"host\",\"cache_miss\":null,"
                                + "\"cache_restored_bytes\":8589934592,\"cache_restore_ms\":12.3"),
                Arguments.of(
                        PrefixLookupResult.onDevice(4),
                        "\"cache_source\":\"device\",\"cache_miss\":null,"
                                + "\"cache_restored_bytes\":0,\"cache_restore_ms\":0.0"),
                Arguments.of(
                        PrefixLookupResult.missed(MissReason.BEFORE_CHECKPOINT),
                        "\"cache_source\":null,\"cache_miss\":\"before_checkpoint\","
                                + "\"cache_restored_bytes\":0,\"cache_restore_ms\":0.0"));
    }

    @Test
    void pageFiguresAreReportedWithAPool() {
        GenerationEnd whole = end(0, 10, 0, 6).end();
        Usage usage = new Usage();
        usage.add(
                new ChoiceEvent.Ended(
                        0,
                        new GenerationEnd(
                                whole.reason(),
                                whole.tokens(),
                                whole.times(),
                                whole.cache(),
                                whole.speculation(),
                                Optional.of(
                                        new GenerationEnd.Paging(
                                                PagePolicy.DRAFTER,
                                                new PagingCounts(12, 9, 1L << 33, 4, 7, 5),
                                                16,
                                                3)),
                                Optional.empty()),
                        new ResponseParser.Piece("", "", List.of()),
                        new ResponseSummary(
                                Optional.empty(), 0, 2, 4, ReasoningFinishReason.NATURAL, false)));

        assertEquals(
                "{\"policy\":\"drafter\",\"pages_out\":12,\"pages_in\":9,\"moved_bytes\":8589934592,\"reselects\":4,"
                    + "\"recalls\":7,\"recall_hit_rate\":0.714,\"resident_pages\":16,"
                    + "\"host_pages\":3}",
                usage.timings().get("kvflash").toString());
    }

    @Test
    void expertsAreReportedIfTheyAreStreamed() {
        ChoiceEvent.Ended ended = end(0, 10, 0, 6);
        Usage streamed = new Usage();
        streamed.add(
                new ChoiceEvent.Ended(
                        0,
                        ended.end().with(new ExpertCounts(30, 10, 40_960)),
                        ended.piece(),
                        ended.summary()));
        Usage plain = new Usage();
        plain.add(ended);

        assertEquals(
                "{\"hits\":30,\"misses\":10,\"hit_rate\":0.75,\"read_bytes\":40960}",
                streamed.timings().get("experts").toString());
        assertTrue(plain.timings().at("/experts").isMissingNode());
    }

    @Test
    void withoutAPoolNoPageFiguresAreReported() {
        Usage usage = new Usage();
        usage.add(end(0, 10, 0, 6));

        assertTrue(usage.timings().at("/kvflash").isMissingNode());
    }

    @Test
    void timingsAreRoundedToATenth() {
        Usage usage = new Usage();

        assertEquals("{}", usage.timings().toString());
        usage.add(end(0, 10, 0, 6));

        assertEquals("1.0", usage.timings().get("queue_ms").toString());
        assertEquals("20.0", usage.timings().get("prefill_ms").toString());
        assertEquals("250.0", usage.timings().get("decode_ms").toString());
    }
}
