//! Every kernel this processor has, against a scalar twin that is too simple to be wrong.

use super::*;
use proptest::prelude::*;

/// The tile by its definition: signed activations times weights, one after the other.
fn scalar_tile(activations: &[i8], weights: &[i8], rows: usize) -> Vec<[i32; TILE_OUTPUTS]> {
    let inputs = activations.len() / rows;
    let weight = |output: usize, input: usize| {
        let step = input / TILE_INPUTS;
        weights[(step * TILE_OUTPUTS + output) * TILE_INPUTS + input % TILE_INPUTS]
    };
    let sum = |row: &[i8], output: usize| {
        row.iter()
            .enumerate()
            .map(|(input, value)| i32::from(*value) * i32::from(weight(output, input)))
            .sum()
    };
    activations.chunks(inputs).map(|row| std::array::from_fn(|output| sum(row, output))).collect()
}

fn scalar_dot(query: &[i16; DIMENSION], row: &[i8; DIMENSION]) -> i32 {
    query.iter().zip(row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// Runs tiles of `rows` rows and takes the kernel's offset out again.
struct Tile<'a> {
    activations: &'a [i8],
    weights: &'a [i8],
    rows: usize,
}

impl Tile<'_> {
    fn multiply<K: Kernel, const R: usize>(&self, kernel: K) -> Vec<[i32; TILE_OUTPUTS]> {
        let offset = |byte: &i8| (i32::from(*byte) + K::OFFSET) as u8;
        let activations: Vec<u8> = self.activations.iter().map(offset).collect();
        let weights: Vec<u8> = self.weights.iter().map(|weight| weight.cast_unsigned()).collect();
        let ones = vec![1; self.activations.len() / R];
        let sums = scalar_tile(&ones, self.weights, 1)[0];
        let tile = kernel.tile::<R>(&activations, &weights);
        tile.iter().map(|row| std::array::from_fn(|output| row[output] - K::OFFSET * sums[output])).collect()
    }
}

impl Task for Tile<'_> {
    type Output = Vec<[i32; TILE_OUTPUTS]>;

    fn run(self, kernel: impl Kernel) -> Self::Output {
        match self.rows {
            1 => self.multiply::<_, 1>(kernel),
            2 => self.multiply::<_, 2>(kernel),
            3 => self.multiply::<_, 3>(kernel),
            4 => self.multiply::<_, 4>(kernel),
            _ => self.multiply::<_, 8>(kernel),
        }
    }
}

struct Dots<'a> {
    query: &'a [i16; DIMENSION],
    rows: &'a [[i8; DIMENSION]],
}

impl Task for Dots<'_> {
    type Output = Vec<i32>;

    fn run(self, kernel: impl Kernel) -> Vec<i32> {
        let mut products = vec![0; self.rows.len()];
        kernel.dots(self.query, self.rows.into(), &mut products);
        products
    }
}

fn any_bytes(count: usize) -> impl Strategy<Value = Vec<i8>> {
    prop::collection::vec(-127..=127_i8, count)
}

fn check_tile(activations: &[i8], weights: &[i8], rows: usize) {
    let expected = scalar_tile(activations, weights, rows);
    for cpu in Cpu::available() {
        assert_eq!(dispatch(cpu, Tile { activations, weights, rows }), expected, "{cpu:?}");
    }
}

fn check_dots(query: &[i16; DIMENSION], rows: &[[i8; DIMENSION]]) {
    let expected: Vec<i32> = rows.iter().map(|row| scalar_dot(query, row)).collect();
    for cpu in Cpu::available() {
        assert_eq!(dispatch(cpu, Dots { query, rows }), expected, "{cpu:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 1 } else { 256 }, ..Default::default() })]

    #[test]
    fn every_kernel_multiplies_tiles_as_its_scalar_twin_does(
        (rows, activations, weights) in (prop::sample::select(vec![1_usize, 2, 3, 4, 8]), 1_usize..100)
            .prop_flat_map(|(rows, steps)| (Just(rows), any_bytes(rows * steps * 4), any_bytes(steps * 64)))
    ) {
        check_tile(&activations, &weights, rows);
    }

    #[test]
    fn every_kernel_multiplies_rows_as_its_scalar_twin_does(
        query in prop::collection::vec(-32_767..=32_767_i16, DIMENSION),
        rows in prop::collection::vec(prop::collection::vec(any::<i8>(), DIMENSION), 0..5),
    ) {
        let rows: Vec<[i8; DIMENSION]> = rows.into_iter().map(|row| row.try_into().unwrap()).collect();
        check_dots(&query.try_into().unwrap(), &rows);
    }
}

#[test]
fn the_largest_factors_do_not_overflow() {
    for (activation, weight) in [(127, 127), (127, -127), (-127, -127)] {
        check_tile(&vec![activation; 4 * 1536], &vec![weight; 16 * 1536], 4);
    }
    for (query, row) in [(32_767, -128), (-32_767, -128), (32_767, 127)] {
        check_dots(&[query; DIMENSION], &[[row; DIMENSION]; 3]);
    }
}

#[test]
fn the_first_kernel_available_is_the_one_detected() {
    let first = Cpu::available().next().map(|cpu| format!("{cpu:?}"));
    assert_eq!(first, Some(format!("{:?}", Cpu::detect())));
}
