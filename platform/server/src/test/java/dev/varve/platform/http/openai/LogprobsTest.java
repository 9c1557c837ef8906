package dev.varve.platform.http.openai;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.http.SmallChat;
import dev.varve.platform.sampling.TokenLogprobs;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;

class LogprobsTest {
    private static final Logprobs LOGPROBS = new Logprobs(SmallChat.TOKENIZER);

    private static GeneratedToken token(String text, float chosen) {
        int id = SmallChat.TOKENIZER.encode(text, false)[0];
        return new GeneratedToken(
                id,
                Optional.of(
                        new TokenLogprobs(
                                chosen,
                                List.of(
                                        new TokenLogprobs.Alternative(id, chosen),
                                        new TokenLogprobs.Alternative(
                                                SmallChat.TOKENIZER.encode("b", false)[0],
                                                Float.NEGATIVE_INFINITY)))));
    }

    @Test
    void chatLogprobsHaveTheBytesOfEachToken() {
        assertEquals(
                "{\"token\":\"a\",\"logprob\":-0.5,\"bytes\":[97],\"top_logprobs\":["
                        + "{\"token\":\"a\",\"logprob\":-0.5,\"bytes\":[97]},"
                        + "{\"token\":\"b\",\"logprob\":-9999.0,\"bytes\":[98]}]}",
                LOGPROBS.chatEntry(token("a", -0.5f)).toString());
    }

    @Test
    void completionLogprobsHaveAListPerField() {
        ObjectNode values = Logprobs.emptyCompletion();
        LOGPROBS.addCompletion(values, token("a", -0.5f), 0);
        LOGPROBS.addCompletion(values, token("c", Float.NEGATIVE_INFINITY), 1);

        assertEquals(
                "{\"tokens\":[\"a\",\"c\"],\"token_logprobs\":[-0.5,-9999.0],"
                        + "\"text_offset\":[0,1],\"top_logprobs\":["
                        + "{\"a\":-0.5,\"b\":-9999.0},{\"c\":-9999.0,\"b\":-9999.0}]}",
                values.toString());
    }
}
