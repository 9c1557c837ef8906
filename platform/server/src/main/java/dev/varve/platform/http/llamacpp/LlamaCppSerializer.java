package dev.varve.platform.http.llamacpp;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.answer.ChoiceEvent;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.answer.Usage;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** Serializes responses of {@code /completion}, whose streams have no end mark. */
final class LlamaCppSerializer implements ResponseSerializer {
    private final String model;
    private final ChatPrompt prompt;
    private int generated;

    LlamaCppSerializer(String model, ChatPrompt prompt) {
        this.model = model;
        this.prompt = prompt;
    }

    @Override
    public List<StreamEvent> token(ChoiceEvent.Token token) {
        generated++;
        String text = token.piece().content();
        return text.isEmpty() ? List.of() : List.of(new StreamEvent.Data(part(text, false)));
    }

    @Override
    public List<StreamEvent> end(ChoiceEvent.Ended ended) {
        return List.of(new StreamEvent.Data(last(ended.piece().content(), ended)));
    }

    @Override
    public List<StreamEvent> closing(Usage usage) {
        return List.of();
    }

    @Override
    public ObjectNode whole(List<ChoiceEvent.OutputEvent> events, Usage usage) {
        StringBuilder text = new StringBuilder();
        ObjectNode answer = Json.object();
        for (ChoiceEvent.OutputEvent event : events) {
            text.append(event.piece().content());
            if (event instanceof ChoiceEvent.Ended ended) {
                answer = last(text.toString(), ended);
            }
        }
        return answer;
    }

    private ObjectNode part(String text, boolean stop) {
        ObjectNode part = Json.object().put("index", 0).put("content", text);
        part.putArray("tokens");
        return part.put("stop", stop)
                .put("id_slot", 0)
                .put("tokens_predicted", generated)
                .put("tokens_evaluated", prompt.tokens().length);
    }

    private ObjectNode last(String text, ChoiceEvent.Ended ended) {
        GenerationEnd end = ended.end();
        generated = end.tokens().generated();
        String word = ended.summary().stop().orElse("");
        String type = word.isEmpty() ? "eos" : "word";
        ObjectNode last = part(text, true);
        last.put("model", model).put("prompt", prompt.text()).put("truncated", false);
        last.put("stop_type", ended.isCut() ? "limit" : type);
        last.put("stopping_word", word);
        last.put("tokens_cached", end.tokens().cached());
        last.set("timings", timings(end));
        return last;
    }

    private static ObjectNode timings(GenerationEnd end) {
        int fresh = end.tokens().prompt() - end.tokens().cached();
        return Json.object()
                .put("cache_n", end.tokens().cached())
                .put("prompt_n", fresh)
                .put("prompt_ms", end.times().prefillMillis())
                .put("prompt_per_second", end.prefillTokensPerSecond())
                .put("predicted_n", end.tokens().generated())
                .put("predicted_ms", end.times().decodeMillis())
                .put("predicted_per_second", end.decodeTokensPerSecond());
    }
}
