package dev.varve.platform.http.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixLookupResult;

import org.junit.jupiter.api.Test;

class CacheLogTest {
    private static String line(PrefixLookupResult use) {
        return CacheLog.line(
                new GenerationEnd(
                        GenerationEnd.Reason.LENGTH,
                        new GenerationEnd.Tokens(2000, use.tokens(), 5),
                        new GenerationEnd.Times(1, 2, 3),
                        use));
    }

    @Test
    void hitIsLoggedWithSourceAndCost() {
        assertEquals(
                "prefix cache: hit (host), 1536 of 2000 prompt tokens, 50331648 bytes restored in"
                        + " 21.5 ms",
                line(
                        PrefixLookupResult.restored(
                                CacheSource.HOST,
                                1536,
                                new PrefixLookupResult.RestoreStats(48 << 20, 21.46))));
        assertEquals(
                "prefix cache: hit (device), 7 of 2000 prompt tokens, 0 bytes restored in 0.0 ms",
                line(PrefixLookupResult.onDevice(7)));
    }

    @Test
    void missIsLoggedWithItsReason() {
        assertEquals(
                "prefix cache: miss (before_checkpoint), 0 of 2000 prompt tokens",
                line(PrefixLookupResult.missed(MissReason.BEFORE_CHECKPOINT)));
    }
}
