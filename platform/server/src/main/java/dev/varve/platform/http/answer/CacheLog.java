package dev.varve.platform.http.answer;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.prefix.PrefixLookupResult;

import java.lang.System.Logger.Level;
import java.util.Locale;

/** Logs the result of the prefix lookup of each response, one line each. */
final class CacheLog {
    private static final System.Logger LOG = System.getLogger("dev.varve.http.cache");

    private CacheLog() {}

    static void report(GenerationEnd end) {
        if (LOG.isLoggable(Level.DEBUG)) {
            LOG.log(Level.DEBUG, line(end));
        }
    }

    static String line(GenerationEnd end) {
        PrefixLookupResult cache = end.cache();
        int prompt = end.tokens().prompt();
        return cache.source()
                .map(
                        source ->
                                String.format(
                                        Locale.ROOT,
                                        "prefix cache: hit (%s), %d of %d prompt tokens, %d bytes"
                                                + " restored in %.1f ms",
                                        source.word(),
                                        cache.tokens(),
                                        prompt,
                                        cache.restored().bytes(),
                                        cache.restored().millis()))
                .orElseGet(
                        () ->
                                String.format(
                                        Locale.ROOT,
                                        "prefix cache: miss (%s), 0 of %d prompt tokens",
                                        cache.miss().orElseThrow().word(),
                                        prompt));
    }
}
