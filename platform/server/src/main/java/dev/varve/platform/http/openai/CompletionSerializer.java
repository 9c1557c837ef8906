package dev.varve.platform.http.openai;

import dev.varve.platform.http.answer.ChoiceEvent;
import dev.varve.platform.http.answer.ResponseMode;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.answer.Usage;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Serializes responses of {@code /v1/completions}. */
final class CompletionSerializer implements ResponseSerializer {
    private final GenerationParameters parameters;
    private final Logprobs logprobs;

    /** Text before each choice: the prompt, if the client requested its echo. */
    private final List<String> echoes;

    /** Code points of each choice so far. */
    private final int[] offsets;

    private final long created = System.currentTimeMillis() / 1000;

    CompletionSerializer(GenerationParameters parameters, Logprobs logprobs, List<String> echoes) {
        this.parameters = parameters;
        this.logprobs = logprobs;
        this.echoes = List.copyOf(echoes);
        offsets = echoes.stream().mapToInt(CompletionSerializer::letters).toArray();
    }

    @Override
    public Optional<String> id() {
        return Optional.of(parameters.head().id());
    }

    @Override
    public List<StreamEvent> opening() {
        List<ObjectNode> chunks = new ArrayList<>();
        for (int index = 0; index < echoes.size(); index++) {
            if (!echoes.get(index).isEmpty()) {
                chunks.add(chunk(index, echoes.get(index)));
            }
        }
        return StreamEvent.Data.all(chunks);
    }

    @Override
    public List<StreamEvent> token(ChoiceEvent.Token token) {
        boolean hasLogprobs = token.token().logprobs().isPresent();
        if (token.piece().content().isEmpty() && !hasLogprobs) {
            return List.of();
        }
        ObjectNode chunk = chunk(token.index(), token.piece().content());
        if (hasLogprobs) {
            ObjectNode values = Logprobs.emptyCompletion();
            logprobs.addCompletion(values, token.token(), offsets[token.index()]);
            choice(chunk).set("logprobs", values);
        }
        offsets[token.index()] += letters(token.piece().content());
        return StreamEvent.Data.all(List.of(chunk));
    }

    @Override
    public List<StreamEvent> end(ChoiceEvent.Ended ended) {
        ObjectNode chunk = chunk(ended.index(), ended.piece().content());
        choice(chunk).put("finish_reason", ended.finishReason());
        return StreamEvent.Data.all(List.of(chunk));
    }

    @Override
    public List<StreamEvent> closing(Usage usage) {
        if (parameters.delivery() != ResponseMode.STREAM_WITH_USAGE) {
            return List.of(DONE);
        }
        ObjectNode chunk = head();
        chunk.putArray("choices");
        chunk.set("usage", usage.usage(parameters.choices()));
        chunk.set("timings", usage.timings());
        return List.of(new StreamEvent.Data(chunk), DONE);
    }

    @Override
    public ObjectNode whole(List<ChoiceEvent.OutputEvent> events, Usage usage) {
        ObjectNode answer = head();
        ArrayNode choices = answer.putArray("choices");
        for (int index = 0; index < echoes.size(); index++) {
            choices.add(choice(index, events));
        }
        answer.set("usage", usage.usage(parameters.choices()));
        answer.set("timings", usage.timings());
        return answer;
    }

    private ObjectNode choice(int index, List<ChoiceEvent.OutputEvent> events) {
        StringBuilder text = new StringBuilder(echoes.get(index));
        ObjectNode values = Logprobs.emptyCompletion();
        String finishReason = "stop";
        for (ChoiceEvent.OutputEvent event : events) {
            if (event.index() == index) {
                switch (event) {
                    case ChoiceEvent.Token token -> {
                        if (token.token().logprobs().isPresent()) {
                            logprobs.addCompletion(values, token.token(), letters(text));
                        }
                    }
                    case ChoiceEvent.Ended ended -> finishReason = ended.finishReason();
                }
                text.append(event.piece().content());
            }
        }
        ObjectNode choice = Json.object();
        choice.put("index", index);
        choice.put("text", text.toString());
        if (parameters.topLogprobs().isPresent()) {
            choice.set("logprobs", values);
        } else {
            choice.putNull("logprobs");
        }
        choice.put("finish_reason", finishReason);
        return choice;
    }

    /** Counts code points, as OpenAI does. */
    private static int letters(CharSequence text) {
        return Character.codePointCount(text, 0, text.length());
    }

    private ObjectNode chunk(int index, String text) {
        ObjectNode chunk = head();
        ObjectNode choice = chunk.putArray("choices").addObject();
        choice.put("index", index);
        choice.put("text", text);
        choice.putNull("logprobs");
        choice.putNull("finish_reason");
        return chunk;
    }

    private static ObjectNode choice(ObjectNode chunk) {
        return (ObjectNode) chunk.get("choices").get(0);
    }

    private ObjectNode head() {
        ObjectNode head = Json.object();
        head.put("id", parameters.head().id());
        head.put("object", "text_completion");
        head.put("created", created);
        head.put("model", parameters.head().model());
        return head;
    }
}
