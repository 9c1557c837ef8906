package dev.varve.platform.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ControlCharactersTest {
    @Test
    void everyControlCharacterButLineFeedAndTabIsRemoved() {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 0x100; c++) {
            all.append(c);
        }

        String kept = ControlCharacters.remove(all.toString());

        StringBuilder expected = new StringBuilder("\t\n");
        for (char c = 0x20; c < 0x7F; c++) {
            expected.append(c);
        }
        for (char c = 0xA0; c < 0x100; c++) {
            expected.append(c);
        }
        assertEquals(expected.toString(), kept);
    }

    @Test
    void escapeSequencesBecomePlainText() {
        assertEquals("a]0;title", ControlCharacters.remove("a\033]0;title\007"));
        assertEquals("31mred", ControlCharacters.remove("\u009b31mred"));
    }

    @Test
    void otherTextIsUnchanged() {
        String text = "Zoë 😀\n\tend";

        assertSame(text, ControlCharacters.remove(text));
        assertEquals("Zoë 😀", ControlCharacters.replace("Zoë 😀", '?'));
        assertEquals("Zoë 😀", ControlCharacters.escape("Zoë 😀"));
    }

    @Test
    void replacedTextIsOneLine() {
        assertEquals("a?b?c?d", ControlCharacters.replace("a\nb\u009bc\td", '?'));
        assertTrue(ControlCharacters.areIn("a\tb"));
        assertFalse(ControlCharacters.areIn("a b"));
    }

    @Test
    void escapedCharactersAreReadable() {
        assertEquals(
                "a\\nb\\r\\tc\\u001b[31m\\u009b\\u007f\\u202e\\u2028\\ud800",
                ControlCharacters.escape("a\nb\r\tc\u001b[31m\u009b\u007f\u202e\u2028\ud800"));
    }
}
