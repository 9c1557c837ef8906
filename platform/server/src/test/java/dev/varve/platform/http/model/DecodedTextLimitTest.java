package dev.varve.platform.http.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.SmallChat;
import dev.varve.platform.http.json.ApiException;

import org.junit.jupiter.api.Test;

class DecodedTextLimitTest {
    @Test
    void textOfAllPromptsCountsForEachCopy() {
        DecodedTextLimit allowance = new DecodedTextLimit("prompt", 4);
        String quarter = "x".repeat(DecodedTextLimit.BYTES / 8);

        assertEquals(quarter, allowance.countText(quarter));
        assertEquals(quarter, allowance.countText(quarter));
        ApiException refusal = assertThrows(ApiException.class, () -> allowance.countText("x"));

        assertTrue(
                refusal.getMessage().startsWith("prompt: expected tokens that decode to at most "));
    }

    @Test
    void tokensAreCountedBeforeDetokenization() {
        int[] ids = SmallChat.TOKENIZER.encode("abc", false);
        DecodedTextLimit allowance = new DecodedTextLimit("tokens", DecodedTextLimit.BYTES / 3);

        assertEquals("abc", allowance.decode(SmallChat.TOKENIZER, ids, true));
        assertThrows(ApiException.class, () -> allowance.decode(SmallChat.TOKENIZER, ids, true));
    }
}
