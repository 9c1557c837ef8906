package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.chat.Dialects.Call;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.Effort;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Answers as models write them in place of what their templates show: {@code noisy-answers.jsonl}
 * has some for each dialect, with what they mean.
 */
class NoisyAnswersTest {
    private static final ToolDeclaration[] TOOLS = {
        Dialects.tool("get_weather", "'city':{'type':'string'},'days':{'type':'integer'}"),
        Dialects.tool(
                "bash",
                "'command':{'type':'string'},'timeout':{'type':'number'},'bg':{'type':'boolean'},"
                    + "'env':{'type':'object'},'list':{'type':'array','items':{'type':'string'}}"),
        Dialects.tool("write", "'filePath':{'type':'string'},'content':{'type':'string'}"),
        Dialects.tool(
                "run",
                "'refs':{'type':'array','items':{'type':'string'}},'opts':{'type':'object'},"
                        + "'save_as':{'type':'string'},'code':{'type':'string'}"),
        Dialects.tool("noargs", "")
    };

    private static final Pattern MARKS =
            Pattern.compile(
                    Stream.of(Dialects.SPECIALS)
                            .map(Pattern::quote)
                            .reduce((one, other) -> one + "|" + other)
                            .orElseThrow());

    static List<JsonNode> answers() {
        try (InputStream file = NoisyAnswersTest.class.getResourceAsStream("noisy-answers.jsonl")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(Dialects.JSON::readTree)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<JsonNode> answers(Dialects dialect) {
        return answers().stream()
                .filter(each -> each.path("dialect").stringValue().equals(dialect.name()))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void eachSyntaxHasManyKindsOfNoise(Dialects dialect) {
        long kinds = answers(dialect).stream().map(each -> each.path("kind")).distinct().count();

        assertTrue(kinds >= 30, dialect + " has " + kinds);
    }

    @ParameterizedTest
    @MethodSource("answers")
    void noisyCallsAreRepaired(JsonNode noisy) {
        Dialects dialect = Dialects.valueOf(noisy.path("dialect").stringValue());
        String text = noisy.path("text").stringValue();
        String prompt = noisy.path("prompt").asString("");

        Answer answer = read(dialect, prompt, text);

        List<String> wanted =
                noisy.path("calls")
                        .valueStream()
                        .map(call -> call.path("name").stringValue() + call.path("arguments"))
                        .toList();
        assertEquals(wanted, named(answer), text);
        assertEquals(noisy.path("content").asString("").strip(), answer.content().strip(), text);
        assertEquals(noisy.path("reasoning").asString(""), answer.reasoning().strip(), text);
    }

    private static List<String> named(Answer answer) {
        return answer.calls().stream().map(call -> call.name() + call.json()).toList();
    }

    /** The answer, which is the same byte by byte and in tokens as long as can be. */
    private static Answer read(Dialects dialect, String prompt, String text) {
        List<String> pieces = new ArrayList<>();
        Matcher mark = MARKS.matcher(text);
        int from = 0;
        while (mark.find()) {
            pieces.add(text.substring(from, mark.start()));
            from = mark.end();
        }
        pieces.add(text.substring(from));
        Tokenizer tokenizer = TestTokenizers.ofBytesAndWords(pieces, Dialects.SPECIALS);
        List<Integer> tokens = new ArrayList<>();
        mark.reset();
        for (int piece = 0; piece < pieces.size(); piece++) {
            if (!pieces.get(piece).isEmpty()) {
                tokens.add(256 + Dialects.SPECIALS.length + piece);
            }
            if (mark.find()) {
                tokens.add(tokenizer.tokenId(mark.group()).orElseThrow());
            }
        }
        int[] begin = tokenizer.encode(prompt, true);
        Answer whole =
                dialect.read(
                        tokenizer,
                        begin,
                        tokens.stream().mapToInt(Integer::intValue).toArray(),
                        Dialects.options(TOOLS));
        Answer bytes =
                dialect.read(
                        tokenizer,
                        begin,
                        Dialects.BYTES.encode(text, true),
                        Dialects.options(TOOLS));
        String context = dialect + " " + prompt + text;
        assertEquals(whole.calls(), bytes.calls(), context);
        assertEquals(whole.content(), bytes.content(), context);
        assertEquals(whole.reasoning(), bytes.reasoning(), context);
        return bytes;
    }

    /** Whatever comes, arguments are an object, and values are what the text says. */
    @ParameterizedTest
    @EnumSource
    void mutatedResponsesGiveArgumentsFromTheText(Dialects dialect) {
        List<JsonNode> answers = answers(dialect);
        for (long seed = 0; seed < Effort.of(120, 40_000); seed++) {
            Random random = new Random(seed);
            JsonNode noisy = answers.get(random.nextInt(answers.size()));
            String text = changed(noisy.path("text").stringValue(), random);

            Answer answer = read(dialect, noisy.path("prompt").asString(""), text);

            for (Call call : answer.calls()) {
                String context = dialect + ", seed " + seed + ": " + text + " gives " + call;
                assertTrue(
                        StrictJson.parse(call.arguments()).filter(JsonNode::isObject).isPresent(),
                        context);
                assertHas(plain(text), call.json(), context);
            }
        }
    }

    private static String changed(String text, Random random) {
        StringBuilder changed = new StringBuilder(text);
        for (int change = random.nextInt(3); change >= 0 && !changed.isEmpty(); change--) {
            int from = random.nextInt(changed.length());
            int end = Math.min(changed.length(), from + 1 + random.nextInt(8));
            switch (random.nextInt(5)) {
                case 0 -> changed.setLength(from);
                case 1 -> changed.delete(from, end);
                case 2 -> changed.insert(from, changed.substring(from, end));
                case 3 -> changed.insert(from, "\"'{}[],:=<>/\\\n ".charAt(random.nextInt(15)));
                default ->
                        changed.insert(
                                from, Dialects.SPECIALS[random.nextInt(Dialects.SPECIALS.length)]);
            }
        }
        return changed.toString();
    }

    /** Without what escapes and marks add. */
    private static String plain(String text) {
        return text.replaceAll("\\\\[nrtbf]", "").replaceAll("[\\\\\\s\\p{Cntrl}]", "");
    }

    private static void assertHas(String text, JsonNode value, String context) {
        if (value.isObject()) {
            for (String key : value.propertyNames()) {
                assertTrue(text.contains(plain(key)), () -> context + ", key " + key);
                assertHas(text, value.get(key), context);
            }
        } else if (value.isArray()) {
            value.forEach(each -> assertHas(text, each, context));
        } else if (!value.isNull()) {
            String said = plain(value.asString());
            assertTrue(
                    text.contains(said)
                            || value.isBoolean() && text.toLowerCase(Locale.ROOT).contains(said)
                            || value.isNumber() && holdsNumber(text, value),
                    () -> context + ", value " + said);
        }
    }

    /** A number may be written in other ways, but with the same first digit. */
    private static boolean holdsNumber(String text, JsonNode value) {
        String digits = value.asString().replaceAll("[^1-9].*", "");
        return digits.isEmpty() || text.contains(digits.substring(0, 1));
    }
}
