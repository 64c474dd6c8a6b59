//! The encoder against the unquantised reference model.

use super::*;
use crate::kernels::Cpu;
use crate::reference_data;

#[test]
fn vectors_are_those_of_the_reference_within_a_hundredth() {
    let model = MiniLm::load();
    let (texts, expected) = (reference_data::texts(), reference_data::vectors());
    assert!(texts.len() >= 200 && texts.len() == expected.len());
    let mut cosines = Vec::new();
    for (text, expected) in texts.iter().zip(&expected) {
        let cosine = model.encode_query(text).unwrap().cosine(&expected.to_vector().unwrap());
        cosines.push((cosine, text));
    }
    cosines.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(cosines[0].0 >= 0.99, "{:#?}", &cosines[..20]);
}

#[test]
fn every_kernel_gives_the_same_vector() {
    let texts = reference_data::texts();
    for text in texts.iter().step_by(12) {
        let detected = MiniLm::load().encode_query(text).unwrap();
        for cpu in Cpu::available() {
            let vector = MiniLm { cpu, ..MiniLm::load() }.encode_query(text).unwrap();
            // Kernels may differ in a last bit, and that may round an activation otherwise: so the cosine need not be 1.
            assert!(vector.cosine(&detected) > 0.999, "{cpu:?} {text:?}");
        }
    }
}

#[test]
fn near_in_meaning_is_near_in_angle() {
    let model = MiniLm::load();
    let vector = |text| model.encode_query(text).unwrap();
    let question = vector("why does signing in fail");
    let near = question.cosine(&vector("login is broken: the session cookie is rejected"));
    let far = question.cosine(&vector("the chart uses the wrong colours"));
    assert!(near > far + 0.2, "{near} {far}");
}

#[test]
fn a_short_text_has_one_vector_and_a_long_one_has_several() {
    let model = MiniLm::load();
    let short = "a short text";
    assert_eq!(model.encode(short), [model.encode_query(short).unwrap()]);
    assert_eq!(model.encode(&"word ".repeat(254)).len(), 1);
    assert_eq!(model.encode(&"word ".repeat(300)).len(), 4);
}

#[test]
fn the_end_of_a_long_text_is_found_through_its_last_chunk() {
    let model = MiniLm::load();
    let text = "nothing of interest happened here. ".repeat(60) + "The espresso machine leaks hot water.";
    let question = model.encode_query("coffee maker drips").unwrap();
    let chunks = model.encode(&text);
    let last = question.cosine(chunks.last().unwrap());
    assert!(chunks[..chunks.len() - 1].iter().all(|chunk| question.cosine(chunk) < last));
}

#[test]
fn a_blank_text_has_no_vector() {
    assert_eq!(MiniLm::load().encode(" \n"), []);
    assert_eq!(MiniLm::load().encode_query(""), None);
}

#[test]
fn the_model_names_itself() {
    let model: &dyn Encoder = &MiniLm::load();
    assert_eq!((model.model_name(), model.dimension()), ("all-minilm-l6-v2-int8", 384));
}

#[test]
fn everyday_words_are_distinguished_from_names() {
    for everyday in ["house", "Database", "café", "configuration", "the"] {
        assert!(is_everyday(everyday), "{everyday}");
    }
    for name in ["kubernetes", "graphql", "Datenbank", "two words", "", "\u{fffd}", "数据库"] {
        assert!(!is_everyday(name), "{name}");
    }
}
