package dev.varve.platform.cli.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTextTest {
    @ParameterizedTest
    @ValueSource(strings = {"\"\"\"", "\"\"\"one", "\"\"\"one\ntwo\"\"", "/system \"\"\"one"})
    void blockIsOpenUntilItsQuotes(String text) {
        assertTrue(MessageText.isOpenBlock(text));
        assertFalse(MessageText.isOpenBlock(text + "x\"\"\" "));
        assertTrue(MessageText.isOpenBlock(text + "x\"\"\"\\"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "one", "say \"\"\"", "\"one\"", "/system one \"\"\""})
    void quotesElsewhereBeginNoBlock(String text) {
        assertFalse(MessageText.isOpenBlock(text));
    }

    @Test
    void quotesOfABlockAreRemoved() {
        assertEquals("one\n\ntwo", MessageText.unquote(" \"\"\"\none\n\ntwo\n\"\"\" "));
        assertEquals("/system one\ntwo", MessageText.unquote("/system \"\"\"one\ntwo\"\"\""));
        assertEquals("one \"\"\"", MessageText.unquote("one \"\"\" "));
    }

    @Test
    void blockIsAMessageEvenIfItBeginsWithASlash() {
        assertTrue(MessageText.isCommand(" /help"));
        assertFalse(MessageText.isCommand("\"\"\"/help\"\"\""));
    }
}
