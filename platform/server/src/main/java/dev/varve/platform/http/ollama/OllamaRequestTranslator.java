package dev.varve.platform.http.ollama;

import dev.varve.platform.http.conversation.SharedFieldRules;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.json.UnknownFieldPolicy;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Translates bodies of {@code /api/chat} and {@code /api/generate} into OpenAI's fields. */
public final class OllamaRequestTranslator {
    /** Field with the required format of the response; keeps its name. */
    static final String FORMAT = "format";

    private static final String OPTIONS = "options";
    private static final String STREAM = "stream";
    private static final String THINK = "think";
    private static final String IMAGES = "images";
    private static final String MESSAGES = "messages";
    private static final String PROMPT = "prompt";
    private static final String SUFFIX = "suffix";

    private static final FieldRules COMMON =
            SharedFieldRules.text()
                    .more()
                    .supported("model stream format options think")
                    .supported("enable_thinking reasoning_effort thinking_budget thinking")
                    .supported("chat_template_kwargs")
                    .ignores("keep_alive truncate shift")
                    .only("logprobs", "false", value -> !value.asBoolean(true))
                    .onlyNumber("top_logprobs", 0)
                    .onlyNumber("n", 1)
                    .build();

    /** Rules for the fields of {@code /api/chat}. */
    public static final FieldRules CHAT_RULES =
            COMMON.more().supported("messages tools tool_choice parallel_tool_calls").build();

    /** Rules for the fields of {@code /api/generate}. */
    public static final FieldRules GENERATE_RULES =
            COMMON.more()
                    .supported("prompt system raw images suffix")
                    .refuses("template", "is not supported; the server uses its own chat template")
                    .refuses(
                            "context", "is not supported; send the whole conversation to /api/chat")
                    .build();

    /** Fields of {@code options}; the operator decides about memory and devices. */
    private static final FieldRules OPTION_RULES =
            FieldRules.builder().onlyNumber("tfs_z", 1).build();

    /** Options that have the name and the meaning of a field. */
    private static final List<String> SAME =
            List.of(
                    "temperature",
                    "top_p",
                    "top_k",
                    "min_p",
                    "seed",
                    "stop",
                    "repeat_penalty",
                    "repeat_last_n",
                    "typical_p",
                    "mirostat",
                    "mirostat_tau",
                    "mirostat_eta",
                    "presence_penalty",
                    "frequency_penalty");

    private OllamaRequestTranslator() {}

    /**
     * Translates a body of {@code /api/chat} into one of chat completions.
     *
     * @throws ApiException a 400 that names the field if it is wrong
     */
    public static ObjectNode chat(ObjectNode body) {
        ObjectNode chat = common(body);
        if (!(body.path(MESSAGES) instanceof ArrayNode messages)) {
            throw ApiException.invalid(MESSAGES, MESSAGES + ": expected an array");
        }
        ArrayNode read = chat.putArray(MESSAGES);
        for (JsonNode message : messages) {
            read.add(message instanceof ObjectNode object ? message(object) : message);
        }
        return chat;
    }

    /**
     * Translates a body of {@code /api/generate} into one of chat completions.
     *
     * @throws ApiException a 400 that names the field if it is wrong
     */
    public static ObjectNode generate(ObjectNode body) {
        ObjectNode chat = common(body);
        RequestFields fields = new RequestFields(body);
        ArrayNode messages = chat.putArray(MESSAGES);
        fields.text("system")
                .filter(text -> !text.isEmpty())
                .ifPresent(text -> messages.addObject().put("role", "system").put("content", text));
        ObjectNode user = Json.object().put("role", "user");
        user.put("content", fields.text(PROMPT).orElse(""));
        fields.find(IMAGES).ifPresent(images -> user.set(IMAGES, images));
        messages.add(message(user));
        List.of(PROMPT, "system", "raw", IMAGES, SUFFIX).forEach(chat::remove);
        return chat;
    }

    /**
     * Translates a body of {@code /api/generate} with {@code "raw": true} or a {@code suffix} into
     * one of text completions.
     *
     * @throws ApiException a 400 that names the field if it is wrong
     */
    public static ObjectNode raw(ObjectNode body) {
        ObjectNode text = common(body);
        if (body.path(IMAGES).isArray() && !body.path(IMAGES).isEmpty()) {
            throw ApiException.invalid(IMAGES, "images: the model reads text only");
        }
        List.of("system", "raw", IMAGES).forEach(text::remove);
        JsonNode format = text.path(FORMAT);
        text.remove(FORMAT);
        if (format.isObject()) {
            text.set("guided_json", format);
        } else if (format.asString("").equals("json")) {
            text.putObject("response_format").put("type", "json_object");
        }
        return text;
    }

    /**
     * Returns whether no template is applied to the prompt of a body of {@code /api/generate}: it
     * is raw, or the text before a gap that the model fills in.
     */
    public static boolean isRaw(ObjectNode body) {
        RequestFields fields = new RequestFields(body);
        return fields.flag("raw").orElse(false)
                || fields.text(SUFFIX).filter(text -> !text.isEmpty()).isPresent();
    }

    /** Returns whether a body only loads or unloads its model, and has nothing to generate from. */
    public static boolean isEmpty(ObjectNode body) {
        JsonNode messages = body.path(MESSAGES);
        JsonNode prompt = body.path(PROMPT);
        boolean says =
                messages.isMissingNode() || messages.isNull()
                        ? prompt.isString() && !prompt.stringValue().isEmpty()
                        : !messages.isArray() || !messages.isEmpty();
        boolean shows = body.path(IMAGES).isArray() && !body.path(IMAGES).isEmpty();
        boolean fills = !body.path(SUFFIX).asString("").isEmpty();
        return !says
                && !shows
                && !fills
                && (prompt.isMissingNode() || prompt.isNull() || prompt.isString());
    }

    /** Translates the common fields; responses are streamed unless a body says otherwise. */
    private static ObjectNode common(ObjectNode body) {
        RequestFields fields = new RequestFields(body);
        ObjectNode common = Json.object();
        for (Map.Entry<String, JsonNode> field : body.properties()) {
            common.set(field.getKey(), field.getValue());
        }
        common.remove(List.of(OPTIONS, THINK));
        common.put(STREAM, fields.flag(STREAM).orElse(true));
        fields.object(OPTIONS).ifPresent(options -> putOptions(common, options));
        fields.find(THINK).ifPresent(think -> putThink(common, think));
        return common;
    }

    private static void putOptions(ObjectNode common, ObjectNode options) {
        OPTION_RULES.check(options, UnknownFieldPolicy.LENIENT);
        for (String name : SAME) {
            JsonNode value = options.path(name);
            if (!value.isMissingNode() && !value.isNull()) {
                common.set(name, value);
            }
        }
        RequestFields.at(OPTIONS, options)
                .whole("num_predict", Integer.MIN_VALUE, Integer.MAX_VALUE)
                .ifPresent(most -> common.put("n_predict", most > 0 ? most : -1));
    }

    private static void putThink(ObjectNode common, JsonNode think) {
        if (think.isBoolean()) {
            common.put("enable_thinking", think.booleanValue());
        } else if (think.isString()) {
            common.put("reasoning_effort", think.stringValue());
        } else {
            throw RequestFields.wrongType(THINK, "true, false, low, medium or high", think);
        }
    }

    /**
     * Translates a message: images are a field beside the text, and the fields of reasoning and the
     * tool's name are renamed.
     */
    private static ObjectNode message(ObjectNode message) {
        ObjectNode read = message.deepCopy();
        rename(read, "thinking", "reasoning_content");
        rename(read, "tool_name", "name");
        Optional.of(read.path("tool_calls"))
                .filter(JsonNode::isArray)
                .ifPresent(
                        calls -> {
                            for (JsonNode call : calls) {
                                if (call instanceof ObjectNode object) {
                                    object.put("type", "function");
                                }
                            }
                        });
        JsonNode images = read.path(IMAGES);
        read.remove(IMAGES);
        if (images.isArray() && !images.isEmpty()) {
            ArrayNode parts = Json.MAPPER.createArrayNode();
            parts.addObject().put("type", "text").put("text", read.path("content").asString(""));
            images.forEach(
                    image -> parts.addObject().put("type", "image_url").set("image_url", image));
            read.set("content", parts);
        }
        return read;
    }

    private static void rename(ObjectNode message, String from, String to) {
        if (message.has(from)) {
            message.set(to, message.get(from));
            message.remove(from);
        }
    }
}
