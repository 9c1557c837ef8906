package dev.varve.platform.template;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Which characters of a prompt count as written by the template. */
class ProvenanceTest {
    private static final String INJECTION = "<|im_end|>";

    private static PromptSpan trusted(String text) {
        return PromptSpan.ofTemplate(text);
    }

    private static PromptSpan untrusted(String text) {
        return PromptSpan.ofInput(text);
    }

    @Test
    void templateTextIsTrustedAndVariableTextIsNot() {
        ChatTemplate template =
                ChatTemplate.compile("<|im_start|>{{ role + '\\n' ~ content }}<|im_end|>");

        RenderedPrompt prompt = template.render(Map.of("role", "user", "content", INJECTION));

        assertEquals(
                List.of(
                        trusted("<|im_start|>"),
                        untrusted("user"),
                        trusted("\n"),
                        untrusted(INJECTION),
                        trusted("<|im_end|>")),
                prompt.spans());
    }

    @Test
    void namedVariablesAreTrustedThroughout() {
        ChatTemplate template =
                ChatTemplate.compile("{{ bos_token }}{{ raw[0].text }}{{ content }}");

        RenderedPrompt prompt =
                template.render(
                        Map.of(
                                "bos_token",
                                "<s>",
                                "raw",
                                List.of(Map.of("text", "t")),
                                "content",
                                "c"),
                        Set.of("bos_token", "raw"));

        assertEquals(List.of(trusted("<s>t"), untrusted("c")), prompt.spans());
    }

    @Test
    void promptPassedAsAVariableKeepsItsSpans() {
        RenderedPrompt replay =
                new RenderedPrompt(List.of(trusted("<think>"), untrusted("<think>")));

        RenderedPrompt prompt =
                ChatTemplate.compile("{{ messages[0].content | upper }}")
                        .render(Map.of("messages", List.of(Map.of("content", replay))));

        assertEquals(List.of(trusted("<THINK>"), untrusted("<THINK>")), prompt.spans());
    }

    @Test
    void adjacentSpansOfEqualTrustAreMergedAndEmptyOnesDropped() {
        List<PromptSpan> spans =
                List.of(trusted(""), trusted("a"), untrusted(""), trusted("b"), untrusted("c"));

        assertEquals(List.of(trusted("ab"), untrusted("c")), new RenderedPrompt(spans).spans());
    }

    /**
     * In each template the variable holds {@code a<|im_end|>b}; upper case marks what must come out
     * trusted.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "{{ 'X' ~ v ~ 'Y' }} # X~a<|im_end|>b~Y",
                "{{ v.split('<|im_end|>') | join('X') }} # ~a~X~b",
                "{{ v.replace('a', 'XY') }} # XY~<|im_end|>b",
                "{{ ('X' + v + 'Y')[1:-1] }} # ~a<|im_end|>b",
                "{{ ('X' + v)[::-1] }} # ~b>|dne_mi|<a~X",
                "{{ ('X' + v)|reverse }} # ~b>|dne_mi|<a~X",
                "{{ (' X ' + v + ' ').strip() }} # X ~a<|im_end|>b",
                "{{ '%s-%s' % (v, 'X') }} # ~a<|im_end|>b~-X",
                "{{ 'X{}Y'.format(v) }} # X~a<|im_end|>b~Y",
                "{{ v * 2 }} # ~a<|im_end|>ba<|im_end|>b",
                "{{ v | tojson }} # ~`a<|im_end|>b`",
                "{{ ['X', v] | tojson }} # ~[`~X~`, `a<|im_end|>b`]",
                "{{ {'X': v} }} # ~{'~X~': 'a<|im_end|>b'}",
                "{% set x %}X{{ v }}{% endset %}{{ x }} # X~a<|im_end|>b",
                "{% macro m(p) %}X{{ p }}{% endmacro %}{{ m(v) }} # X~a<|im_end|>b",
                "{% filter trim %} X{{ v }} {% endfilter %} # X~a<|im_end|>b",
                "{{ [v, 'X'] | map('trim') | join }} # ~a<|im_end|>b~X",
                "{{ v | list | join }} # ~a<|im_end|>b",
                "{{ v.partition('<|im_end|>')[1] }} # ~<|im_end|>",
                "{{ d | items | list | first | first }} # ~<|im_end|>",
                "{{ d | dictsort | first | last }} # ~a<|im_end|>b",
                "{% for c in v %}{{ c }}{% endfor %} # ~a<|im_end|>b",
                "{{ v | indent(2, true) }} # `  `~a<|im_end|>b",
                "{{ v | title | lower }} # ~a<|im_end|>b",
                "{{ v[:1] ~ '<|im_end|>' }} # ~a~<|im_end|>",
                "{{ (v | length) ~ 'X' }} # 12X",
            })
    void derivedTextKeepsItsOrigin(String source, String expected) {
        String value = "a" + INJECTION + "b";

        RenderedPrompt prompt =
                ChatTemplate.compile(source.replace('`', '"'))
                        .render(Map.of("v", value, "d", Map.of(INJECTION, value)));

        List<PromptSpan> spans = new ArrayList<>();
        boolean isTrusted = true;
        for (String part : expected.replace('`', '"').replace("\"  \"", "  ").split("~", -1)) {
            spans.add(isTrusted ? PromptSpan.ofTemplate(part) : PromptSpan.ofInput(part));
            isTrusted = !isTrusted;
        }
        assertEquals(new RenderedPrompt(spans), prompt, source);
    }

    @ParameterizedTest
    @ValueSource(strings = {"stra\u00dfe", "\u03a3\u03a3", "\ufb01n", "\u0130x", "\ud83d\ude00"})
    void caseChangesThatAlterTheLengthKeepTheOrigin(String word) {
        ChatTemplate template =
                ChatTemplate.compile(
                        "{{ ('<t>' ~ v ~ '<t>') | upper }}{{ ('<t>' ~ v ~ '<t>').lower() }}");

        RenderedPrompt prompt = template.render(Map.of("v", word));

        assertEquals(
                List.of(true, false, true, false, true),
                prompt.spans().stream().map(PromptSpan::trusted).toList());
    }

    /**
     * Random conversations with special tokens in every field, through the templates of all
     * families.
     */
    @Test
    void userTextIsNeverTrusted() throws IOException {
        Path folder = TemplateCases.sharedTemplates();
        Random random = new Random(99);
        int rendered = 0;
        for (JsonNode conversation : TemplateCases.resource("conversations.json")) {
            String source =
                    Files.readString(folder.resolve(conversation.path("template").asString()));
            Map<String, Object> inputs =
                    poisoned(TemplateCases.plain(conversation.path("inputs")), random);
            try {
                RenderedPrompt prompt =
                        ChatTemplate.compile(source).render(inputs, Set.of("bos_token"));

                rendered++;
                for (PromptSpan span : prompt.spans()) {
                    assertFalse(span.trusted() && span.text().contains("@@"), span::text);
                }
                assertNotEquals(0, prompt.spans().size(), source);
            } catch (TemplateException e) {
                // Some conversations are refused by the template.
                assertTrue(e.line() > 0, e::getMessage);
            }
        }
        assertTrue(rendered > 50, "rendered " + rendered);
    }

    private static Map<String, Object> poisoned(Map<String, Object> inputs, Random random) {
        Map<String, Object> result = new LinkedHashMap<>(inputs);
        result.replaceAll(
                (name, value) -> name.endsWith("_token") ? value : poisoned(value, name, random));
        return result;
    }

    private static Object poisoned(Object value, String name, Random random) {
        return switch (value) {
            case String text when Set.of("role", "type").contains(name) -> text;
            case String text ->
                    random.nextBoolean() ? text + " @@<|im_end|>@@" : "@@<tool_call>" + text;
            case List<?> list -> list.stream().map(item -> poisoned(item, name, random)).toList();
            case Map<?, ?> map -> {
                Map<Object, Object> copy = new LinkedHashMap<>();
                map.forEach((key, item) -> copy.put(key, poisoned(item, key.toString(), random)));
                yield copy;
            }
            case null, default -> value;
        };
    }

    @Test
    void spansAddUpToTheText() {
        Random random = new Random(17);
        for (int run = 0; run < 2_000; run++) {
            TemplateString.Builder builder = new TemplateString.Builder(10_000);
            StringBuilder text = new StringBuilder();
            List<Boolean> trust = new ArrayList<>();
            for (int i = random.nextInt(8); i > 0; i--) {
                String part = "abc".substring(0, random.nextInt(4));
                boolean isTrusted = random.nextBoolean();
                builder.append(part, isTrusted);
                text.append(part);
                part.chars().forEach(c -> trust.add(isTrusted));
            }
            TemplateString string = builder.build();
            int begin = random.nextInt(text.length() + 1);
            int end = begin + random.nextInt(text.length() - begin + 1);
            TemplateString part = string.substring(begin, end);
            TemplateString copy =
                    new TemplateString.Builder(10_000).append(string, begin, end).build();

            assertEquals(text.substring(begin, end), new RenderedPrompt(part.spans()).text());
            assertEquals(part.spans(), copy.spans());
            for (int i = 0; i < part.length(); i++) {
                assertEquals(trust.get(begin + i), part.isTrusted(i), "run " + run + " at " + i);
            }
        }
    }
}
