import dev.langchain4j.data.document.Document;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.request.EmbeddingInputType;
import dev.langchain4j.model.input.PromptTemplate;
import dev.langchain4j.rag.DefaultRetrievalAugmentor;
import dev.langchain4j.rag.content.injector.DefaultContentInjector;
import dev.langchain4j.rag.content.retriever.EmbeddingStoreContentRetriever;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.store.embedding.EmbeddingStoreIngestor;
import dev.langchain4j.store.embedding.inmemory.InMemoryEmbeddingStore;

import dev.varve.embedded.*;
import dev.varve.langchain4j.*;

public interface Service {
    String answer(String question);
}

final List<String> NOTES =
        List.of(
                "The door code of the harbour is 4821.",
                "The door code of the theatre is 7350.",
                "Bread is baked on Fridays.");

/** Answers a question with the note that is most similar to it. Arguments: CHATS EMBEDDINGS */
void main(String[] arguments) {
    var options = VarveOptions.DEFAULT.withSampling(Sampling.DEFAULT.temperature(0));
    try (Varve chats = Varve.open(Path.of(arguments[0]), options);
            Embedder embedder = Embedder.open(Path.of(arguments[1]))) {
        // For a model that expects prefixes: new VarveEmbeddingModel(embedder, "query: ", "passage: ", List.of())
        var embeddings = new VarveEmbeddingModel(embedder);
        var store = new InMemoryEmbeddingStore<TextSegment>();
        EmbeddingStoreIngestor.builder()
                .embeddingModel(embeddings)
                .embeddingInputType(EmbeddingInputType.DOCUMENT)
                .embeddingStore(store)
                .build()
                .ingest(NOTES.stream().map(Document::from).toList());
        var retriever =
                EmbeddingStoreContentRetriever.builder()
                        .embeddingModel(embeddings)
                        .embeddingInputType(EmbeddingInputType.QUERY)
                        .embeddingStore(store)
                        .maxResults(1)
                        .build();
        var service =
                AiServices.builder(Service.class)
                        .chatModel(new VarveChatModel(chats))
                        .retrievalAugmentor(
                                DefaultRetrievalAugmentor.builder()
                                        .contentRetriever(retriever)
                                        .contentInjector(
                                                DefaultContentInjector.builder()
                                                        .promptTemplate(
                                                                PromptTemplate.from("{{contents}}\n\n{{userMessage}}"))
                                                        .build())
                                        .build())
                        .build();
        IO.println(service.answer("What is the door code of the harbour?"));
    }
}
