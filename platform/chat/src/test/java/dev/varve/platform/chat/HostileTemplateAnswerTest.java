package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.Effort;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Models may say anything in the dialects of templates. */
class HostileTemplateAnswerTest {
    private static final ToolDeclaration TOOL =
            Dialects.tool("f", "'s':{'type':'string'},'n':{'type':'integer'}");

    private static final List<String> SCRAPS =
            List.of(
                    "<think>",
                    "</think>",
                    "<tool_call>",
                    "</tool_call>",
                    "<function=f>",
                    "<parameter=s>",
                    "</parameter>",
                    "</function>",
                    "<arg_key>",
                    "</arg_key>",
                    "<arg_value>",
                    "</arg_value>",
                    "<invoke name=\"f\">",
                    "<parameter name=\"n\">",
                    "</invoke>",
                    "[ARGS]",
                    "[CALL_ID]",
                    "function",
                    "\n```json\n",
                    "```",
                    " to=functions.f",
                    "commentary",
                    "analysis",
                    "final",
                    "{\"name\": \"f\"",
                    "\"parameters\": ",
                    ", \"arguments\": ",
                    "{\"s\": \"",
                    "{\"n\": 1}",
                    "f",
                    "\"",
                    "}",
                    "{",
                    "[",
                    "]",
                    ",",
                    "<",
                    "\n",
                    " ",
                    "🦙");

    static Stream<TemplateAnswersTest.Case> cases() {
        return TemplateAnswersTest.cases();
    }

    private static List<String> scraps(TemplateAnswers dialect) {
        List<String> all = new ArrayList<>(SCRAPS);
        all.addAll(dialect.specials);
        all.addAll(dialect.specials);
        return all;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void responseDoesNotDependOnTokenBoundariesAndIsJson(TemplateAnswersTest.Case each) {
        List<String> scraps = scraps(each.dialect());
        String[] specials =
                each.isPlain() ? new String[0] : each.dialect().specials.toArray(String[]::new);
        List<String> words =
                scraps.stream()
                        .distinct()
                        .filter(scrap -> !List.of(specials).contains(scrap))
                        .toList();
        Tokenizer tokenizer = TestTokenizers.ofBytesAndWords(words, specials);
        Map<String, Integer> ids = ids(tokenizer);
        for (long seed = 0; seed < Effort.of(150, 10_000); seed++) {
            Random random = new Random(seed);
            List<String> parts =
                    IntStream.range(0, 1 + random.nextInt(20))
                            .mapToObj(part -> scraps.get(random.nextInt(scraps.size())))
                            .toList();
            int[] whole = parts.stream().mapToInt(ids::get).toArray();
            int[] bytes =
                    parts.stream()
                            .flatMapToInt(part -> IntStream.of(tokenizer.encode(part, true)))
                            .toArray();

            Answer cut = each.dialect().read(tokenizer, bytes, TOOL);
            Answer uncut = each.dialect().read(tokenizer, whole, TOOL);

            String context = each + ", seed " + seed + ": " + String.join("", parts);
            assertEquals(uncut.reasoning(), cut.reasoning(), context);
            assertEquals(uncut.content(), cut.content(), context);
            assertEquals(uncut.calls(), cut.calls(), context);
            for (Dialects.Call call : cut.calls()) {
                assertTrue(
                        StrictJson.parse(call.arguments()).filter(JsonNode::isObject).isPresent(),
                        () -> context + " gives " + call.arguments());
            }
        }
    }

    /** Ids of all words; of two tokens with the same text, the special one counts. */
    private static Map<String, Integer> ids(Tokenizer tokenizer) {
        Map<String, Integer> ids = new HashMap<>();
        for (int id = 0; id < tokenizer.vocabularySize(); id++) {
            String text = tokenizer.decode(new int[] {id}, true);
            if (!ids.containsKey(text) || tokenizer.isSpecial(id)) {
                ids.put(text, id);
            }
        }
        return ids;
    }

    /** Without tools and reasoning, all text but the header of a message is content. */
    @ParameterizedTest
    @MethodSource("cases")
    void nothingIsLostWithoutCalls(TemplateAnswersTest.Case each) {
        List<String> scraps =
                scraps(each.dialect()).stream()
                        .filter(scrap -> !scrap.matches("(?is).*(think|\\||to=|final|comm|anal).*"))
                        .toList();
        for (long seed = 0; seed < Effort.of(80, 5000); seed++) {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder("x");
            for (int part = 0; part < 12; part++) {
                text.append(scraps.get(random.nextInt(scraps.size())));
            }

            Answer answer = each.read(text.toString(), Dialects.tool("other", ""));

            assertEquals(text.toString(), answer.content(), each + ", seed " + seed);
            assertEquals(List.of(), answer.calls(), text.toString());
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void anyTokenMayFollowAnyOther(TemplateAnswersTest.Case each) {
        Tokenizer tokenizer = each.tokenizer();
        int size = tokenizer.vocabularySize();
        for (long seed = 0; seed < Effort.of(80, 5000); seed++) {
            Random random = new Random(seed);
            int[] tokens =
                    IntStream.range(0, 60)
                            .map(
                                    index ->
                                            random.nextInt(3) == 0
                                                    ? 256 + random.nextInt(size - 256)
                                                    : random.nextInt(size + 4) - 2)
                            .toArray();

            Answer answer = each.dialect().read(tokenizer, tokens, TOOL);

            assertTrue(answer.text().reasoningTokens() <= tokens.length);
            assertEquals(answer.text().callCount(), answer.calls().size());
        }
    }
}
