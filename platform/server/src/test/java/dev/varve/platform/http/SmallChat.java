package dev.varve.platform.http;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.UnmarkedCallPolicy;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Map;
import java.util.Optional;

/** A small model that thinks and calls tools: each byte of its answers is a token. */
public final class SmallChat {
    public static final Tokenizer TOKENIZER =
            TestTokenizers.ofBytes("<think>", "</think>", "<tool_call>", "</tool_call>");

    /** Shows all that requests may say. Late system messages are refused. */
    static final String TEMPLATE =
            "{% for t in tools or [] %}{{ t | tojson }}\n"
                + "{% endfor %}{% for m in messages %}{% if m.role == 'system' and not loop.first"
                + " %}{{ raise_exception('system comes first') }}{% endif %}[{{ m.role }}{% if"
                + " m.name is defined %} {{ m.name }}{% endif %}{% if m.tool_call_id is defined %}"
                + " {{ m.tool_call_id }}{% endif %}]{% if m.reasoning_content is defined %}({{"
                + " m.reasoning_content }}){% endif %}{{ m.content }}{% for c in m.tool_calls or []"
                + " %}{{ c.function.name }}{{ c.function.arguments | tojson }}{% endfor %}{{ '\n"
                + "' }}{% endfor %}{% if add_generation_prompt %}[assistant]{% if enable_thinking"
                + " %}<think>{% elif enable_thinking is defined %}</think>{% endif %}{% endif %}";

    static final String TEMPLATE_WITHOUT_TOOLS =
            "{% for m in messages %}{{ m.content }}{% endfor %}";

    private static final ToolSyntax CALLS = new ToolSyntax.Json("<tool_call>", "</tool_call>");

    private SmallChat() {}

    static TestServer server(ScriptedEngine engine) {
        return server(engine, ReasoningDefaults.none());
    }

    static TestServer server(ScriptedEngine engine, ReasoningDefaults defaults) {
        return server(engine, defaults, TEMPLATE, Optional.of(CALLS));
    }

    static TestServer server(ScriptedEngine engine, String template, Optional<ToolSyntax> calls) {
        return server(engine, ReasoningDefaults.none(), template, calls);
    }

    private static TestServer server(
            Engine engine,
            ReasoningDefaults defaults,
            String template,
            Optional<ToolSyntax> calls) {
        return TestServer.of(served(engine, defaults, template, calls));
    }

    static ServedModel served(Engine engine) {
        return served(engine, ReasoningDefaults.none(), TEMPLATE, Optional.of(CALLS));
    }

    private static ServedModel served(
            Engine engine,
            ReasoningDefaults defaults,
            String template,
            Optional<ToolSyntax> calls) {
        return served(
                engine,
                new ModelTextProcessing(
                        TOKENIZER,
                        Optional.of(new ChatRenderer(ChatTemplate.compile(template), TOKENIZER)),
                        ResponseSyntax.of(
                                new ChatDialect(Optional.of(ReasoningMarks.think()), calls),
                                TOKENIZER),
                        defaults));
    }

    /** A server of a model whose template shows the dialect. */
    static TestServer byTemplate(ScriptedEngine engine, Tokenizer tokenizer, String template) {
        ChatRenderer chat = new ChatRenderer(ChatTemplate.compile(template), tokenizer);
        return TestServer.of(
                served(
                        engine,
                        new ModelTextProcessing(
                                tokenizer,
                                Optional.of(chat),
                                ResponseSyntax.of(
                                        ChatDialect.byTemplate(),
                                        Optional.of(chat.dialect()),
                                        tokenizer,
                                        UnmarkedCallPolicy.AUTO),
                                ReasoningDefaults.none())));
    }

    /** A model that continues texts and does not chat. */
    static ServedModel ofText(Engine engine, Tokenizer tokenizer) {
        return served(
                engine,
                new ModelTextProcessing(
                        tokenizer,
                        Optional.empty(),
                        ResponseSyntax.plain(tokenizer),
                        ReasoningDefaults.none()));
    }

    private static ServedModel served(Engine engine, ModelTextProcessing texts) {
        return new ServedModel(
                new ModelDescription("small", "small", 1000, Map.of()), engine, texts);
    }

    /** A dialect without calls. */
    static Optional<ToolSyntax> noCalls() {
        return Optional.empty();
    }

    static Optional<ToolSyntax> calls() {
        return Optional.of(CALLS);
    }

    /** Tokens of an answer, its special tokens spelled out. */
    static int[] answer(String text) {
        return TOKENIZER.encode(text, true);
    }

    static String text(int[] tokens) {
        return TOKENIZER.decode(tokens, true);
    }

    static String call(String name, String arguments) {
        return "<tool_call>{\"name\": \""
                + name
                + "\", \"arguments\": "
                + arguments
                + "}</tool_call>";
    }
}
