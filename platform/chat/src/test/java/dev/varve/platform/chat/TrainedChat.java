package dev.varve.platform.chat;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.ExtendedTokenizers;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A published chat template, and the answers of a model that was trained with it. The architectures
 * are those of released models with the template.
 */
public enum TrainedChat {
    LLAMA_3_2("meta-llama-Llama-3.2-3B-Instruct", TemplateAnswers.LLAMA, "llama"),
    LLAMA_3_3("meta-llama-Llama-3.3-70B-Instruct", TemplateAnswers.LLAMA, "llama"),
    MISTRAL_SMALL_3_2(
            "Mistral-Small-3.2-24B-Instruct-2506", TemplateAnswers.MISTRAL_WITH_ID, "llama"),
    MISTRAL_NEMO("", TemplateAnswers.MISTRAL_ARRAY, "llama") {
        @Override
        String source() {
            return SHOWN_TOOLS
                    + "{% for m in messages %}{% if m.role == 'user' %}[INST]{{ m.content"
                    + " }}[/INST]{% elif m.tool_calls %}[TOOL_CALLS][{% for c in m.tool_calls %}{{"
                    + " c.function | tojson }}{{ ', ' if not loop.last }}{% endfor %}]{% else %}{{"
                    + " m.content }}{% endif %}{% endfor %}";
        }

        @Override
        public String template() {
            return "Mistral-Nemo, shortened";
        }
    },
    MINISTRAL_3("mistralai-Ministral-3-14B-Reasoning-2512", TemplateAnswers.MISTRAL, "mistral3"),
    QWEN_2_5("Qwen-Qwen2.5-7B-Instruct", TemplateAnswers.HERMES, "qwen2", "qwen2moe"),
    QWEN_3("Qwen-Qwen3-0.6B", TemplateAnswers.HERMES, FamilyDialect.QWEN3, "qwen3"),
    QWEN_3_MOE("Qwen-Qwen3-0.6B", TemplateAnswers.HERMES, "qwen3moe"),
    QWEN_3_CODER("Qwen3-Coder", TemplateAnswers.FUNCTION_TAGS, "qwen3moe", "qwen3next"),
    QWEN_3_5(
            "Qwen3.5-4B",
            TemplateAnswers.FUNCTION_TAGS,
            FamilyDialect.QWEN35,
            "qwen35",
            "qwen35moe"),
    GPT_OSS("openai-gpt-oss-120b", TemplateAnswers.HARMONY, "gpt-oss"),
    DEEPSEEK_V3_1("deepseek-ai-DeepSeek-V3.1", TemplateAnswers.DEEPSEEK, "deepseek2"),
    DEEPSEEK_R1("", TemplateAnswers.DEEPSEEK_FENCED, "deepseek2") {
        @Override
        String source() {
            return "{% set ns = namespace(system_prompt='') %}{{ ns.system_prompt }}"
                    + "{% for m in messages %}<｜{{ m.role }}｜>{{ m.content }}{% for c in"
                    + " m.tool_calls or []"
                    + " %}<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{{"
                    + " c.function.name }}\n"
                    + "```json\n"
                    + "{{ c.function.arguments | tojson }}\n"
                    + "```<｜tool▁call▁end｜><｜tool▁calls▁end｜>{% endfor %}{% endfor"
                    + " %}<｜Assistant｜><think>\n";
        }

        @Override
        public String template() {
            return "DeepSeek-R1, shortened";
        }
    },
    GLM_4_6("GLM-4.6", TemplateAnswers.GLM_LINES, "glm4moe"),
    GLM_4_7_FLASH("GLM-4.7-Flash", TemplateAnswers.GLM, "deepseek2"),
    MINIMAX_M2("MiniMax-M2", TemplateAnswers.MINIMAX, "minimax-m2"),
    GEMMA_4("google-gemma-4-31B-it", Optional.empty(), Optional.of(FamilyDialect.GEMMA), "gemma4") {
        @Override
        String calls(String... cities) {
            return Stream.of(cities)
                    .map(
                            city ->
                                    "<|tool_call>call:get_weather{city:<|\"|>"
                                            + city
                                            + "<|\"|>,n:2}<tool_call|>")
                    .collect(Collectors.joining());
        }
    },
    GRANITE_3("", TemplateAnswers.GRANITE_ARRAY, "granite", "granitemoe") {
        @Override
        String source() {
            return "{% if tools %}<|start_of_role|>available_tools<|end_of_role|>{% for t in tools"
                    + " %}{{ t | tojson }}\n"
                    + "{% endfor %}{# a call is <|tool_call|> and a list #}<|end_of_text|>\n"
                    + "{% endif %}{% for m in messages %}<|start_of_role|>{{ m.role"
                    + " }}<|end_of_role|>{{ m.content }}{% if m.tool_calls"
                    + " %}<|tool_call|>[{% for c in m.tool_calls %}{{ c.function | tojson }}{{"
                    + " ', ' if not loop.last }}{% endfor %}]{% endif %}<|end_of_text|>\n"
                    + "{% endfor %}<|start_of_role|>assistant<|end_of_role|>";
        }

        @Override
        public String template() {
            return "Granite 3.x, shortened";
        }
    },
    GRANITE_4_0("ibm-granite-granite-4.0", TemplateAnswers.HERMES, "granitehybrid", "granite"),
    GRANITE_4_1("ibm-granite-granite-4.1", TemplateAnswers.HERMES, "granite"),
    NEMOTRON_NANO_2("", TemplateAnswers.NEMOTRON_ARRAY, "nemotron_h") {
        @Override
        String source() {
            return "<SPECIAL_10>System\n"
                    + "{% if tools %}<AVAILABLE_TOOLS>[{% for t in tools %}{{ t.function | tojson"
                    + " }}{{ ', ' if not loop.last }}{% endfor %}]</AVAILABLE_TOOLS>\n"
                    + "{% endif %}{% for m in messages %}{% if m.role == 'tool'"
                    + " %}<SPECIAL_11>User\n"
                    + "<TOOL_RESPONSE>[{{ m.content }}]</TOOL_RESPONSE>\n"
                    + "{% else %}<SPECIAL_11>{{ m.role }}\n"
                    + "{{ m.content }}{% if m.tool_calls %}<TOOLCALL>[{% for c in m.tool_calls"
                    + " %}{{ c.function | tojson }}{{ ', ' if not loop.last }}{% endfor"
                    + " %}]</TOOLCALL>{% endif %}\n"
                    + "{% endif %}{% endfor %}<SPECIAL_11>Assistant\n"
                    + "<think>\n";
        }

        @Override
        public String template() {
            return "Nemotron Nano 2, shortened";
        }
    },
    NEMOTRON_3(
            "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", TemplateAnswers.FUNCTION_TAGS, "nemotron_h_moe"),
    PHI_3_5("microsoft-Phi-3.5-mini-instruct", "phi3"),
    SEED_OSS("ByteDance-Seed-OSS", TemplateAnswers.SEED, "seed_oss"),
    LAGUNA_XS_2("poolside-Laguna-XS.2", TemplateAnswers.GLM_LINES, FamilyDialect.LAGUNA, "laguna"),
    LAGUNA_XS_2_1(
            "poolside-Laguna-XS-2.1", TemplateAnswers.GLM_LINES, FamilyDialect.LAGUNA, "laguna");

    /** Reasoning of each response. */
    public static final String REASONING = "The user names a city.";

    private static final String SHOWN_TOOLS =
            "{% for t in tools or [] %}{{ t | tojson }}\n{% endfor %}";

    private static final Map<String, Tokenizer> TOKENIZERS = new ConcurrentHashMap<>();

    private final String file;
    private final Optional<TemplateAnswers> answers;
    private final Optional<FamilyDialect> family;
    private final List<String> architectures;

    TrainedChat(String file, TemplateAnswers answers, String... architectures) {
        this(file, Optional.of(answers), Optional.empty(), architectures);
    }

    TrainedChat(
            String file, TemplateAnswers answers, FamilyDialect family, String... architectures) {
        this(file, Optional.of(answers), Optional.of(family), architectures);
    }

    TrainedChat(String file, String... architectures) {
        this(file, Optional.empty(), Optional.empty(), architectures);
    }

    TrainedChat(
            String file,
            Optional<TemplateAnswers> answers,
            Optional<FamilyDialect> family,
            String... architectures) {
        this.file = file;
        this.answers = answers;
        this.family = family;
        this.architectures = List.of(architectures);
    }

    /** {@code general.architecture} of the released models with this template. */
    public List<String> architectures() {
        return architectures;
    }

    /** The name of the template among the published ones, or a description. */
    public String template() {
        return file;
    }

    /** Whether the folder of published templates is there. */
    public static boolean arePublished() {
        return Files.isDirectory(folder());
    }

    private static Path folder() {
        return Path.of(System.getProperty("varve.test.shared", "")).resolve("golden/chat");
    }

    /** Compiles the template. */
    public ChatTemplate compile() {
        return ChatTemplate.compile(StoredTemplate.repaired(source()));
    }

    /** The dialect that the plugin of the architecture declares. */
    public ChatDialect dialect() {
        return family.map(FamilyDialect::dialect).orElse(ChatDialect.byTemplate());
    }

    /** Whether the model calls tools. */
    public boolean callsTools() {
        return answers.isPresent() || family.isPresent();
    }

    /** Calls of {@code get_weather}, one for each city. */
    String calls(String... cities) {
        return answers.orElseThrow().calls(cities);
    }

    /** The model's vocabulary, or that of another model with the marks of this one. */
    public Tokenizer tokenizer() {
        String name =
                switch (this) {
                    case QWEN_2_5, QWEN_3, QWEN_3_MOE, QWEN_3_CODER, QWEN_3_5 -> "qwen35";
                    case GEMMA_4 -> "gemma-4";
                    default -> "llama-bpe";
                };
        String[] marks =
                switch (this) {
                    case GEMMA_4 -> new String[0];
                    // Its marks decide which tokens end a response.
                    case GPT_OSS -> marks(Stream.of(TemplateAnswers.HARMONY));
                    default ->
                            marks(
                                    Stream.of(TemplateAnswers.values())
                                            .filter(each -> each != TemplateAnswers.HARMONY));
                };
        return TOKENIZERS.computeIfAbsent(
                name + " " + String.join(" ", marks),
                key ->
                        marks.length == 0
                                ? TestTokenizers.golden(name)
                                : ExtendedTokenizers.golden(name, marks));
    }

    private static String[] marks(Stream<TemplateAnswers> dialects) {
        return dialects.flatMap(each -> each.specials.stream()).distinct().toArray(String[]::new);
    }

    /** The marks of the model's reasoning; none if it does not reason, or reasons in a channel. */
    private Optional<ReasoningMarks> reasoning() {
        return family.isPresent()
                ? family.get().dialect().reasoning()
                : TemplateDialect.of(source()).marks().reasoning();
    }

    String source() {
        try {
            return Files.readString(folder().resolve(file + ".jinja"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean hasChannels() {
        return answers.equals(Optional.of(TemplateAnswers.HARMONY));
    }

    /** Whether the model reasons before it answers. */
    public boolean reasons() {
        return hasChannels() || reasoning().isPresent();
    }

    /** An answer that calls {@code get_weather} for some cities. */
    public String calling(String prompt, String... cities) {
        return hasChannels()
                ? TemplateAnswers.HARMONY.behind(REASONING, calls(cities))
                : thinking(prompt) + calls(cities);
    }

    /** An answer of text. */
    public String saying(String prompt, String text) {
        return hasChannels()
                ? TemplateAnswers.HARMONY.behind(REASONING, "<|channel|>final<|message|>" + text)
                : thinking(prompt) + text;
    }

    /** Reasoning, unless the prompt shows that it is over or off. */
    private String thinking(String prompt) {
        if (reasoning().isEmpty()) {
            return "";
        }
        ReasoningMarks marks = reasoning().get();
        String end = prompt.stripTrailing();
        String thought = REASONING + marks.forcedClose();
        if (end.endsWith(marks.open())) {
            return thought;
        }
        // Some templates begin no turn after the result of a tool; the response then has no
        // reasoning.
        boolean isNewTurn = turnEnds(end);
        return isNewTurn && !end.endsWith(marks.close())
                ? marks.open() + marks.label() + thought
                : "";
    }

    private static boolean turnEnds(String prompt) {
        return Stream.of("assistant", "model", "<|assistant|>", "[/INST]")
                .anyMatch(prompt::endsWith);
    }
}
