package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Random;

class StopStringMatcherTest {
    @Test
    void earliestStopStringWinsForAnyTextSplit() {
        String text = "abxfoo more";
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            StopStringMatcher matcher = new StopStringMatcher(List.of("foo", "o"));
            StringBuilder shown = new StringBuilder();
            for (int begin = 0; begin < text.length(); ) {
                int end = Math.min(text.length(), begin + 1 + random.nextInt(4));
                shown.append(matcher.push(text.substring(begin, end)));
                begin = end;
            }
            shown.append(matcher.finish());

            assertEquals("abx", shown.toString(), "seed " + seed);
            assertEquals(Optional.of("foo"), matcher.found());
        }
    }

    @Test
    void incompleteStopStringIsEmitted() {
        StopStringMatcher matcher = new StopStringMatcher(List.of("END"));

        assertEquals("a", matcher.push("aE"));
        assertEquals("Ex", matcher.push("x"));
        assertEquals("", matcher.push("EN"));
        assertEquals("EN", matcher.finish());
    }

    @Test
    void shorterStopInsideAnUnfinishedLongerOneCountsAtTheEnd() {
        StopStringMatcher matcher = new StopStringMatcher(List.of("foobar", "o"));

        assertEquals("", matcher.push("foo"));
        assertEquals("f", matcher.finish());
        assertEquals(Optional.of("o"), matcher.found());
    }
}
